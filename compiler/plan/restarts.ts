import { inPlacePatch } from '../../semantics/template/inplace-images.ts';
import type { Change } from './change.ts';
import { rulesOf } from './update-policy.ts';

/**
 * Whether pods at base keep all their containers running: the change gives them other resources or metadata, and no more. What
 * earlier states need is not judged.
 */
export function restartsNothing({ action, base, head, classification }: Change): boolean {
  if (action !== 'Update' || base === undefined || head === undefined) return false;
  if (classification?.mode === 'Recreate') return false;
  const patch = inPlacePatch(base.normal.template, head.normal.template, rulesOf(head.normal.units));
  const restarted = patch && [...Object.keys(patch.images), ...(patch.resize?.restarts ?? [])];
  return restarted?.length === 0;
}
