// node execa.mjs JOBS PROGRAM [ARG…] < items: runs the program once for each line, at most JOBS at once.
import { readFileSync } from 'node:fs'
import { execa } from 'execa'
import pLimit from 'p-limit'

const [jobs, program, ...args] = process.argv.slice(2)
const items = readFileSync(0, 'utf8').trimEnd().split('\n')
const limit = pLimit(Number(jobs))
const results = await Promise.all(items.map((item) => limit(() => execa(program, [...args, item]))))
if (results.length !== items.length) process.exit(1)
