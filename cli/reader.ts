import { dlopen, FFIType, ptr } from 'bun:ffi'

/**
 * Whether somebody may still read what is written to `fd`. A write would tell too, but one that waits for something to
 * write would never learn that it waits in vain. True where the system cannot be asked.
 */
export function isRead(fd: number): boolean {
  poll ??= findPoll()
  // struct pollfd { int fd; short events; short revents; }
  const asked = new Int16Array(4)
  new Int32Array(asked.buffer)[0] = fd
  return poll(asked) <= 0 || ((asked[3] ?? 0) & (ERROR | HANG_UP)) === 0
}

const ERROR = 0x8
const HANG_UP = 0x10

type Poll = (asked: Int16Array) => number

let poll: Poll | null = null

function findPoll(): Poll {
  for (const library of ['libc.so.6', 'libSystem.B.dylib', 'libc.so']) {
    try {
      const { symbols } = dlopen(library, {
        poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
      })
      return (asked) => symbols.poll(ptr(asked), 1, 0)
    } catch {}
  }
  return () => 0
}
