import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

/**
 * Reads a file that anybody may have put into the workspace, through links. What is no regular file is refused instead of
 * waited for (a pipe) or read without end (a device), and so is a file above `maxBytes`. Throws the system's error, or one
 * like it: `EISDIR`, `EINVAL`, `EFBIG`.
 */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  // Looked at before it is opened: to open some devices does something.
  const kind = statSync(path)
  if (kind.isDirectory()) throw refusal('EISDIR', `a folder, not a file, open '${path}'`)
  if (!kind.isFile()) throw refusal('EINVAL', `not a regular file, open '${path}'`)
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw refusal('EINVAL', `not a regular file, open '${path}'`)
    if (stat.size > maxBytes) throw refusal('EFBIG', `larger than ${maxBytes} bytes, read '${path}'`)
    return readWhole(fd, { size: stat.size, maxBytes, path })
  } finally {
    closeSync(fd)
  }
}

/** Some files tell no size, and others grow while they are read. */
function readWhole(fd: number, of: { size: number; maxBytes: number; path: string }): Buffer {
  const pieces: Buffer[] = []
  let bytes = 0
  while (true) {
    const piece = Buffer.alloc(Math.max(of.size - bytes, 0) + 1024)
    const read = readSync(fd, piece, 0, piece.length, null)
    if (read === 0) return Buffer.concat(pieces, bytes)
    pieces.push(piece.subarray(0, read))
    bytes += read
    if (bytes > of.maxBytes) throw refusal('EFBIG', `larger than ${of.maxBytes} bytes, read '${of.path}'`)
  }
}

/** As the system would say it, so that it is told like its errors. */
function refusal(code: 'EISDIR' | 'EINVAL' | 'EFBIG', what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code, syscall: 'open' })
}
