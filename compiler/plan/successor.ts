import type { KubeObject } from '../../schemas/wire/object.ts';
import { wantedReplicas } from '../../semantics/kinds/git-units.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import { groupKindOf, tupleId } from '../../semantics/owner.ts';
import { countText } from '../../semantics/values/text.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { Change } from './change.ts';
import type { Natives } from './handover.ts';
import { shownName } from './target.ts';

/**
 * Warns of a target that `kruise build` now compiles to an object whose controller adopts none of its pods, and of one that takes the
 * place of such an object: both are deleted and created by one sync.
 *
 * @param locate finds positions in the manifest of the target
 */
export function successor(change: Change, natives: Natives, locate: Locate): Diagnostic[] {
  const { type, action, kind, namespace, name } = change;
  const own = change.head ?? change.base;
  if (own === undefined || type.git.native !== undefined) return [];
  if (action !== 'Delete' && action !== 'Create') return [];
  // One that is on both sides is no successor: both run, or have run, side by side.
  const [has, lacks] =
    action === 'Delete' ? ([natives.head, natives.base] as const) : ([natives.base, natives.head] as const);
  const built = builtOf(type, own.manifest.object).find((each) => {
    const { name: builtName } = each.metadata;
    const id = tupleId(groupKindOf(each), namespace, builtName);
    return has().has(id) && !lacks().has(id);
  });
  if (built === undefined) return [];
  const target = `${kind} ${shownName({ namespace, name })}`;
  const native = `${built.kind} ${shownName({ namespace, name: built.metadata.name })}`;
  const [from, to] = action === 'Delete' ? [target, native] : [native, target];
  const count = wantedReplicas(own.normal.units);
  const pods = count === undefined ? 'its pods' : count === 1 ? 'its pod' : `its ${countText(count, 'pod')}`;
  const lowest = count === undefined ? 'none of them runs' : `0 of ${count} are available`;
  return [diagnostic('KR2157', { from, to, pods, lowest }, locate(['apiVersion'], 'value'))];
}

/** What a build makes of a manifest by itself; nothing where it stays, or has an error. */
function builtOf(type: Change['type'], object: KubeObject): readonly KubeObject[] {
  const { lowering } = type;
  if (lowering.of !== 'object' || unusable(type, object) !== undefined) return [];
  const found = lowering.lower(object, { isScaled: false, namespaces: [], inNamespace: [] });
  return 'objects' in found ? found.objects : [];
}
