import { PREVIEW, type Report, type RunEvent } from '../../core/run-event.ts'
import { type RedactedStream, redactDeep, type Secrets } from '../../core/secrets.ts'

/**
 * The same observer, who is told no secret. What an agent says in pieces is held back for as long as a secret may be split
 * over them. The result of a run is handed over as it is: whoever asked for it gets it.
 */
export function withoutSecrets(report: Report, secrets: Secrets): Report {
  const speakers = new Map<string, Speaker>()

  /** Half a secret may stand where a long payload was cut. */
  const preview = (text: string): string => (text.length < PREVIEW ? secrets.text(text) : secrets.cut(text))

  function flush(over: (speaker: Speaker) => boolean): void {
    for (const [key, speaker] of speakers) {
      if (!over(speaker)) continue
      speakers.delete(key)
      const delta = speaker.stream.end()
      if (delta !== '') report({ ...speaker.said, delta })
    }
  }

  return (event) => {
    if (isText(event)) {
      const key = keyOf(event)
      const stream = speakers.get(key)?.stream ?? secrets.textStream()
      speakers.set(key, { said: event, stream })
      const delta = stream.push(event.delta)
      if (delta !== '') report({ ...event, delta })
      return
    }
    flush(({ said }) => ends(event, said))
    const told = redactDeep(event, secrets)
    if (told.type === 'loop_terminated' && event.type === 'loop_terminated') {
      report({ ...told, result: event.result })
    } else if ('payload_preview' in event && 'payload_preview' in told) {
      report({ ...told, payload_preview: preview(event.payload_preview ?? '') })
    } else {
      report(told)
    }
  }
}

type Said = Extract<RunEvent, { readonly type: 'text_delta' | 'wave_worker_text_delta' }>

/** Somebody who has begun to speak, with the last piece. */
interface Speaker {
  readonly said: Said
  readonly stream: RedactedStream<string>
}

function isText(event: RunEvent): event is Said {
  return event.type === 'text_delta' || event.type === 'wave_worker_text_delta'
}

function keyOf(said: Said): string {
  return said.type === 'text_delta' ? '' : `${said.wave_id} ${said.worker_index}`
}

/** True if what was said is over, or interrupted, by this event. */
function ends(event: RunEvent, said: Said): boolean {
  switch (event.type) {
    case 'loop_terminated':
      return true
    case 'wave_completed':
      return said.type === 'wave_worker_text_delta' && said.wave_id === event.wave_id
    case 'wave_worker_done':
    case 'wave_worker_started':
      return said.type === 'wave_worker_text_delta' && isOf(said, event.wave_id, event.index)
    case 'error':
      return said.type === 'text_delta'
        ? event.wave_id === undefined
        : isOf(said, event.wave_id, event.wave_index)
    default:
      return said.type === 'text_delta'
  }
}

function isOf(
  said: Extract<Said, { readonly type: 'wave_worker_text_delta' }>,
  wave: string | undefined,
  index: number | undefined,
): boolean {
  return said.wave_id === wave && said.worker_index === index
}
