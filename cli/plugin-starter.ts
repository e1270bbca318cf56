/** A plugin file to begin with: it loads, conforms, and says in its comments what to change. */
export function pluginStarter(name: string): string {
  return `// A backend for ralph: how to talk to one AI program. The file's name is the backend's name.
//
//   ralph plugins check ./${name}.ts                   does it keep to the rules?
//   ralph run -b ${name} --plugins . -p 'Say hello'    does it work?
//
// ralph owns the process, its files, its timers and the retries. A plugin only says which command line to start,
// and reads what the program prints. It needs no imports.

export default {
  name: '${name}',

  // One line for \`ralph plugins\`.
  summary: 'what this program is',

  // Looked for on PATH by \`ralph plugins\`, \`ralph doctor\` and \`-b auto\`.
  program: '${name}',

  // Facts about the program. What is left out is assumed to be as bad as it can be.
  traits: {
    output: 'text', //       'stream' for one JSON record a line: then write open(), see below
    takesModel: true, //     it has a flag for a model
    reportsCost: false, //   open() gives cost events: needed for max_cost_usd
    reportsTokens: false, // open() gives usage events: needed for max_tokens_total
    access: 'whatever the program allows itself', // shown to you at the start of each run
    verified: false, //      true once you have seen it work
  },

  // The command line for one task. Pure: it reads the task and nothing else.
  // The configured program (task.command) replaces the usual one, and the user's arguments (task.args) come after the
  // fixed ones. 'stdin': ralph writes the prompt. 'arg': put task.prompt last in argv instead; ralph hands over a long
  // prompt as a file.
  invoke(task) {
    const program = task.command ?? '${name}'
    const model = task.model === undefined ? [] : ['--model', task.model]
    return { argv: [program, ...model, ...task.args], prompt: 'stdin' }
  },

  // A program that answers in records needs a conversation in place of the default one:
  //
  //   open(task) {
  //     let done = false
  //     return {
  //       start: () => [{ write: task.prompt }, { closeStdin: true }],
  //       line(stream, text) {
  //         // Read a record. Unknown output gives [], never an error.
  //         return [{ event: { type: 'text', text } }]
  //       },
  //       ask: () => [],
  //       // Exit code 0 alone is no success: the stream has to say so.
  //       end: ({ exitCode }) => ({
  //         says: [],
  //         verdict: done && exitCode === 0 ? { ok: true } : { ok: false, class: 'crash', message: 'it broke off' },
  //       }),
  //     }
  //   },
}
`
}
