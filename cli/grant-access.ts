import { type Access, narrowest, type Restricted } from '../core/access.ts'
import type { Backend } from '../core/backend/contract.ts'
import { formatFault, valueFault } from '../core/config/fault.ts'
import type { Settings } from '../core/config/settings.ts'
import { at, type KeyPath, type Mapping } from '../core/config/tree.ts'
import type { Hat } from '../core/hat.ts'
import { err, ok, type Result } from '../core/result.ts'

export interface AccessRequest {
  readonly settings: Settings
  /** The merged configuration, which knows who asks. */
  readonly tree: Mapping
  /** Null: the coordinator, or the item of `ralph wave run`. */
  readonly hat: Hat | null
  readonly backend: Backend
  /** Arguments of the user's that the program gets. */
  readonly args: readonly string[]
  /** The agent must be able to emit: its final message is not enough. */
  readonly needsEvents: boolean
  /** Why a file of the workspace would undo a level of the backend's; null: none would. */
  undoing(backend: Backend, level: Restricted): string | null
}

export interface Granted {
  readonly access: Access
  /** A level that a built-in preset asked for, and why the program is not held to it. */
  readonly passedOver?: { readonly level: Restricted; readonly why: string }
}

/**
 * The access of a part: the narrowest that its hat, its backend and the run allow, if its program can be held to it. What
 * the user asks for and the program cannot be held to is refused; what only a built-in preset asks for is passed over. Where a
 * file of the workspace would undo it, it is refused whoever asks.
 */
export function grantAccess(request: AccessRequest): Result<Granted, string> {
  const wishes = wishesOf(request)
  const level = narrowest(wishes.map((wish) => wish.level))
  if (level === 'full') return ok({ access: 'full' })
  const inability = obstacle(request, level)
  const why = inability ?? request.undoing(request.backend, level)
  if (why === null) return ok({ access: level })

  // A file that anybody may have put into the workspace must not widen what an agent may do.
  const binding = inability === null ? wishes : wishes.filter((wish) => !wish.ofPreset)
  const wish = binding.find((one) => one.level === level)
  if (wish !== undefined) return err(formatFault(valueFault(request.tree, wish.path, why)))
  const further = grantAccess({ ...request, hat: null })
  return further.ok ? ok({ ...further.value, passedOver: { level, why } }) : further
}

interface Wish {
  readonly level: Access
  readonly path: KeyPath
  readonly ofPreset: boolean
}

function wishesOf({ settings, tree, hat, backend }: AccessRequest): readonly Wish[] {
  const said: readonly (readonly [Access | undefined, KeyPath])[] = [
    [hat?.access, ['hats', hat?.id ?? '', 'access']],
    [settings.adapters[backend.name]?.access, ['adapters', backend.name, 'access']],
    [settings.cli.access, ['cli', 'access']],
  ]
  return said.flatMap(([level, path]) =>
    level === undefined ? [] : [{ level, path, ofPreset: isOfPreset(tree, path) }],
  )
}

function isOfPreset(tree: Mapping, path: KeyPath): boolean {
  return at(tree, path)?.place.origin.label.startsWith('builtin:') ?? false
}

/** Why the program cannot be held to a level; null: it can. */
function obstacle({ backend, args, needsEvents }: AccessRequest, level: Restricted): string | null {
  const { name } = backend
  const enforcement = backend.traits.enforces[level]
  if (enforcement === undefined)
    return `backend "${name}" has no way to hold its program to access "${level}"`
  if (needsEvents && enforcement.delivers === 'message')
    return `backend "${name}" with access "${level}" can run no \`ralph emit\`: it is for \`ralph wave run\` alone`
  const undone = args.find((word) => enforcement.undoneBy.some((one) => says(word, one)))
  return undone === undefined
    ? null
    : `the argument ${undone} of backend "${name}" would undo access "${level}"`
}

/** `--flag`, `--flag=value`, `-fvalue`, `key=value`, `key.sub=value`, `--config=key=value`. */
function says(word: string, undoing: string): boolean {
  if (/^-[a-z]$/i.test(undoing) && word.startsWith(undoing)) return true
  return word.split('=').some((part) => part === undoing || part.startsWith(`${undoing}.`))
}
