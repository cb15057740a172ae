import type { CompilerHost } from '../host.ts';
import { isInside, relativePath } from '../load/files.ts';
import type { Manifest } from '../load/manifest.ts';
import type { State } from '../load/manifests.ts';

/**
 * The operand with which kruise plan plans a manifest alone, with the same folder of plans: its file, or the folder that is
 * the root of the run. Undefined if it is in no file.
 */
export function pathToPlan(
  host: CompilerHost,
  { root, given, allPlans }: State,
  { origin }: Manifest,
): string | undefined {
  if (given !== undefined) return undefined;
  // At or above the working directory it is found there, too.
  const isFound = allPlans !== undefined || isInside(host.cwd, root);
  return isFound ? origin.source.file : relativePath(host, root);
}
