import { type Fields, listOf, textOf } from './record.ts'

/** Tools that have not answered and background tasks that still run: while there are any, a result is not the end. */
export class OpenWork {
  #tools = new Set<string>()
  #tasks = new Set<string>()

  get count(): number {
    return this.#tools.size + this.#tasks.size
  }

  toolStarted(id: string): void {
    this.#tools.add(id)
  }

  toolEnded(id: string): void {
    this.#tools.delete(id)
  }

  /** A `system` record; most have nothing to do with tasks. */
  system(record: Fields): void {
    const id = textOf(record, 'task_id')
    switch (textOf(record, 'subtype')) {
      case 'background_tasks_changed':
        this.#tasks = new Set(listOf(record, 'tasks').flatMap((task) => textOf(task, 'task_id') ?? []))
        break
      case 'task_started':
        if (id !== undefined && record.is_backgrounded === true) this.#tasks.add(id)
        break
      case 'task_notification':
        if (id !== undefined) this.#tasks.delete(id)
        break
    }
  }
}
