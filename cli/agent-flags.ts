/** Flags of every command that starts agents: which program, as what, held to what. */
export const AGENT_FLAGS = {
  backend: {
    type: 'one',
    short: 'b',
    value: 'NAME',
    description: 'Which AI program plays: a backend name, or auto',
    default: 'claude',
    group: 'Agents',
  },
  model: { type: 'one', value: 'NAME', description: "The program's model", group: 'Agents' },
  access: {
    type: 'one',
    value: 'LEVEL',
    choices: ['read', 'edit', 'full'],
    description: 'What agents may do, at most; held by their program, or refused',
    default: 'full',
    group: 'Agents',
  },
  plugins: { type: 'many', value: 'DIR', description: 'A folder of further backends', group: 'Agents' },
  trust: {
    type: 'bool',
    description: 'Let files of this workspace say which programs run',
    group: 'Agents',
  },
} as const
