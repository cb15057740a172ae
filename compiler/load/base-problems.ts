import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Code } from '../diagnostics/registry.ts';

/** The problems of loading base, as a comparison reports them; `head` are those of loading head. */
export function problemsAtBase(base: readonly Diagnostic[], head: readonly Diagnostic[]): Diagnostic[] {
  const isSettled = head.some(({ code }) => code === 'KR1028');
  return base.filter(({ code }) => !FOREIGN.has(code) && !(isSettled && code === 'KR1028')).map(asBase);
}

/** Diagnostics of files without objects of OpenKruise. At base they do not matter. */
const FOREIGN: ReadonlySet<Code> = new Set<Code>(['KR1022', 'KR1026', 'KR1027']);

/** Diagnostics of files and folders that were not read completely, so their content is unknown. */
const UNREAD: ReadonlySet<Code> = new Set<Code>([
  ...(['KR1001', 'KR1002', 'KR1003', 'KR1004', 'KR1011', 'KR1012', 'KR1015', 'KR1020'] as const),
  ...(['KR1028', 'KR1029', 'KR1035', 'KR1036', 'KR1038'] as const),
]);

/** What helps at base, where that is another thing than at head. */
const HELP_AT_BASE: ReadonlyMap<Code, string> = new Map<Code, string>([
  ['KR1028', 'render the base, too: --base-file FILE'],
  [
    'KR1029',
    'get the files in a worktree of the base (git worktree add ../base REF), and use --base-dir ../base',
  ],
]);

/**
 * Makes diagnostics at base warnings, because they can no longer be fixed. Unread files stay errors, because every object
 * in them would look new.
 */
function asBase(found: Diagnostic): Diagnostic {
  const { code, message, position, related } = found;
  // The run has its limits, whatever it read then.
  if (code === 'KR1035') return found;
  const help = HELP_AT_BASE.get(code) ?? 'use a base that can be read';
  return UNREAD.has(code)
    ? { ...found, message: `at base: ${message}`, help }
    : diagnostic('KR1039', { code, message }, position, related);
}
