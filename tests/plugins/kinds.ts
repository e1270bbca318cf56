import { type Fields, fieldsOf, listOf, parseRecords, textOf } from '../../plugins/record.ts'

/** The records of one line of a captured stream. */
export const recordsIn = (line: string): readonly Fields[] => parseRecords(line)

/** What kind of record it is, in one word a level: `assistant > tool_use`, `system init`, `item.completed > error`. */
export function kindOf(record: Fields): string {
  const inner = ['item', 'part', 'event', 'assistantMessageEvent'].flatMap(
    (key) => textOf(fieldsOf(record, key), 'type') ?? [],
  )
  const message = fieldsOf(record, 'message')
  const blocks = listOf(message, 'content').map((block) => textOf(block, 'type') ?? '?')
  const role = textOf(record, 'role') ?? textOf(message, 'role')
  const type = textOf(record, 'type') ?? 'no type'
  const subtype = type === 'system' ? textOf(record, 'subtype') : undefined
  const whose = role === undefined || role === type ? [] : [role]
  const within = inner.length > 0 ? inner : [...new Set([...whose, ...blocks])]
  return [[type, subtype].filter((word) => word !== undefined).join(' '), ...within].join(' > ')
}

/** Kinds of records that occur in the captured streams of a program and tell nothing there, each with the reason. */
export const TELLS_NOTHING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  claude: {
    'stream_event > content_block_delta': 'a piece: the whole block comes as a message',
    'stream_event > content_block_start': 'a piece',
    'stream_event > content_block_stop': 'a piece',
    'stream_event > message_delta': 'a piece: the result has the usage',
    'stream_event > message_start': 'a piece',
    'stream_event > message_stop': 'a piece',
    'system permission_denied': 'the result lists all denials',
    'system status': 'for a screen',
    'system task_started': 'a task in the foreground, or one that background_tasks_changed names too',
    'system task_updated': 'task_notification says when it ends',
    'system ui_invalidate': 'for a screen',
    'system vcs_state_changed': 'the workspace is looked at by ralph itself',
    user: 'the prompt, or words of the program to its model',
    'user > text': 'the same',
  },
  codex: { 'turn.started': 'takes back the end of a turn before: no captured run has two' },
  copilot: {
    'assistant.idle': 'the result follows',
    'assistant.message_start': 'its pieces follow',
    'assistant.tool_call_delta': 'the call comes whole',
    'assistant.turn_start': 'its end is counted',
    'model.call_final_result': 'the message comes whole',
    'model.call_finished': 'the message comes whole',
    'model.call_start': 'its answer follows',
    'session.background_tasks_changed': 'no task of a captured run outlives its tool',
    'session.info': 'assistant.turn_retry tells of the same retries',
    'session.mcp_servers_loaded': 'the start',
    'session.skills_loaded': 'the start',
    'session.tools_updated': 'the start',
    'tool.execution_partial_result': 'the output comes whole',
    'tool.shell_output': 'the output comes whole',
    'user.message': 'the prompt',
  },
  gemini: { 'message > user': 'the prompt' },
  opencode: {},
  pi: {
    agent_start: 'takes back an end before: no captured run goes on after one',
    entry_appended: 'its own file of the session',
    'message_end > system': 'its instructions',
    'message_end > toolResult > text': 'tool_execution_end has the output',
    'message_end > user > text': 'the prompt',
    'message_start > assistant': 'its pieces follow',
    'message_start > system': 'its instructions',
    'message_start > toolResult > text': 'tool_execution_end has the output',
    'message_start > user > text': 'the prompt',
    'message_update > text_end': 'message_end has the text',
    'message_update > text_start': 'its pieces follow',
    'message_update > toolcall_delta': 'tool_execution_start has the call',
    'message_update > toolcall_end': 'tool_execution_start has the call',
    'message_update > toolcall_start': 'tool_execution_start has the call',
    session: 'the start',
    tool_execution_update: 'tool_execution_end has the output',
    'turn_end > assistant': 'message_end has the message',
    'turn_end > assistant > text': 'message_end has the message',
    'turn_end > assistant > text > toolCall': 'message_end has the message',
    turn_start: 'takes back an end before: no captured run goes on after one',
  },
  qwen: {
    'stream_event > goal_state': 'for a screen',
    'system retry': 'stderr tells of the same retries, and why',
  },
}
