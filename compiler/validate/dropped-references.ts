import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type ConfigObject, configKey } from '../load/config-objects.ts';
import type { Change } from '../plan/change.ts';
import { fieldPath } from '../plan/target.ts';
import { renamedReferences } from './generated-names.ts';
import { type PodReference, podReferences } from './pod-references.ts';
import type { Locate } from './schema-errors.ts';

/**
 * Warns of ConfigMaps and Secrets that the pods at base need and that are removed with this change. A pod on the old revision
 * that is lost meanwhile, or one on its way back, does not start. Generated names have a warning of their own (KR2132).
 *
 * @param dropped the objects that head does not have any more; asked only if pods need some
 */
export function droppedReferences(
  { base, head, type }: Change,
  dropped: () => ReadonlyMap<string, ConfigObject>,
  locate: Locate,
): Diagnostic[] {
  if (base === undefined || head === undefined) return [];
  const before = podTemplateOf(base.normal) ?? {};
  const references = podReferences(before);
  if (references.length === 0 || dropped().size === 0) return [];
  const after = podTemplateOf(head.normal) ?? {};
  const reported = new Set(renamedReferences(before, after).map(({ from }) => textOf(from)));
  const still = new Map(podReferences(after).map((each) => [textOf(each), each]));
  const { namespace } = head.manifest;
  return references.flatMap((each) => {
    const text = textOf(each);
    if (reported.has(text)) return [];
    reported.add(text);
    const isGone = type.resource.namespaced
      ? dropped().has(configKey({ kind: each.kind, namespace, name: each.name }))
      : [...dropped().values()].some(({ kind, name }) => kind === each.kind && name === each.name);
    if (!isGone) return [];
    const named = still.get(text);
    const path = [...fieldPath(head, 'template'), ...(named?.path ?? [])];
    const args = { kind: each.kind, name: each.name, isNamed: named !== undefined };
    return [diagnostic('KR2221', args, locate(path, named === undefined ? 'key' : 'value'))];
  });
}

function textOf({ kind, name }: PodReference): string {
  return `${kind} ${name}`;
}
