import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { compareQuantities, parseQuantity } from '../../semantics/values/quantity.ts';
import { diagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Change } from '../plan/change.ts';
import { pathIn } from './manifest-path.ts';
import type { Locate } from './schema-errors.ts';

/** The minor versions of Kubernetes 1 that resize containers, and that lower a memory limit without a restart. */
const RESIZES = 33;
const LOWERS_MEMORY = 34;

/**
 * Refuses a resize in place that the oldest cluster does not serve.
 *
 * @param kubernetes `assume.kubernetes` of kruise.yaml, such as `1.32`; undefined: every cluster serves it
 */
export function resizeRules(
  { action, head, classification }: Change,
  kubernetes: string | undefined,
  locate: Locate,
): Diagnostic[] {
  if (action !== 'Update' || head === undefined || kubernetes === undefined) return [];
  const assumed = Number(kubernetes.split('.')[1]);
  for (const field of classification?.fields ?? []) {
    const needs = neededMinor(field);
    if (needs === undefined || assumed >= needs) continue;
    const args = { field: field.path, needs: `1.${needs}`, assumed: kubernetes };
    return [diagnostic('KR2188', args, locate(pathIn(head.manifest.object, field.path), 'value'))];
  }
  return [];
}

/** The minor version that a changed field needs; undefined: it is not resized in place. */
function neededMinor({ path, effect, from, to }: ClassifiedField): number | undefined {
  const [, list, resource] = /\.resources\.(limits|requests)\[([^\][]+)\]$/.exec(path) ?? [];
  if (effect !== 'InPlace' || list === undefined) return undefined;
  const [before, after] = [parseQuantity(from ?? ''), parseQuantity(to ?? '')];
  const isLowered = before !== undefined && after !== undefined && compareQuantities(after, before) < 0;
  return list === 'limits' && resource === 'memory' && isLowered ? LOWERS_MEMORY : RESIZES;
}
