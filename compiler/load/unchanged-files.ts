import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Loaded } from './manifests.ts';

/**
 * Head with a warning in place of the errors of each file that is broken, is the same at base, and names no group of OpenKruise:
 * no workload is in it at base either, so that none looks removed, and nobody has touched it in this change.
 */
export function withUnchangedFiles(head: Loaded, base: Loaded): Loaded {
  const isSame = (path: string, hash: string): boolean => base.foreign.get(path)?.hash === hash;
  // Of several files with one text only the first is reported, and it stands for all of them.
  const touched = new Set(
    [...head.foreign].flatMap(([path, { hash }]) => (isSame(path, hash) ? [] : [hash])),
  );
  const unchanged = new Set<string>();
  for (const { file, hash } of head.foreign.values()) if (!touched.has(hash)) unchanged.add(file);
  if (unchanged.size === 0) return head;
  const reported = new Set<string>();
  const diagnostics = head.diagnostics.flatMap((found): Diagnostic[] => {
    const { code, severity, message, position } = found;
    // A limit of the run ends it, wherever it is reached.
    if (position === undefined || severity !== 'error' || code === 'KR1035') return [found];
    const { file } = position.source;
    if (!unchanged.has(file)) return [found];
    if (reported.has(file)) return [];
    reported.add(file);
    return [diagnostic('KR1040', { file, problem: message }, position)];
  });
  return { ...head, diagnostics };
}
