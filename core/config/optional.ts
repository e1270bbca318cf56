/** `{key: value}` for a spread; nothing where the file gives no value, or an empty text. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined | '',
): { readonly [K in Key]?: Value } {
  return value === null || value === undefined || value === ''
    ? {}
    : ({ [key]: value } as { readonly [K in Key]: Value })
}
