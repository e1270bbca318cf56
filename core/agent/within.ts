/** True once `promise` is fulfilled, false after `ms` milliseconds. Leaves no timer behind. */
export function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms)
    promise.then(
      () => {
        clearTimeout(timer)
        resolve(true)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
