// Writes docs/commands.md from the help of the built program: `node .ci/commands.mjs`. With `--print` it goes to stdout.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const args = process.argv.slice(2)
const binary = args.find((word) => !word.startsWith('-')) ?? 'dist/ralph'
const page = render()
if (args.includes('--print')) process.stdout.write(page)
else writeFileSync('docs/commands.md', page)

function render() {
  const front = help([])
  const commands = section(front, 'Commands')
    .split('\n')
    .flatMap((line) => /^ {2}(\S+(?: \S+)?) {2}/.exec(line)?.[1] ?? [])
  return [
    '# Commands',
    'Made from the help of the program by `npm run docs`. `ralph <command> --help` shows the same at your terminal.\nWithout a command, `ralph` acts as `ralph run`.',
    '## For all commands',
    fence(section(front, 'Global')),
    ...commands.flatMap((name) => [`## ralph ${name}`, ...command(name)]),
  ]
    .join('\n\n')
    .concat('\n')
}

function command(name) {
  const [title, ...parts] = help(name.split(' ')).trimEnd().split('\n\n')
  const summary = title.slice(title.indexOf('— ') + 2)
  return [`${summary}.`, fence(parts.filter((part) => !part.startsWith('Global\n')).join('\n\n'))]
}

function help(words) {
  return execFileSync(binary, [...words, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
}

/** The lines below a heading, up to the next blank one. */
function section(text, heading) {
  const part = text.split('\n\n').find((one) => one.startsWith(`${heading}\n`))
  if (part === undefined) throw new Error(`the help has no section ${heading}`)
  return part.slice(heading.length + 1)
}

function fence(text) {
  return `\`\`\`text\n${text}\n\`\`\``
}
