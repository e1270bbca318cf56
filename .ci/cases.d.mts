/** Test files by case of the contract. */
export const CASES: number
export function findCases(root?: string): Map<number, string[]>
