import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { RUN_KIND_LABEL, RUN_TARGET_LABEL, runKindLabel } from '../../semantics/run/labels.ts';
import { keyOf } from './ids.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** The ControllerRevisions that store what runs of targets have done, whether the targets exist or not. */
export interface RunCache {
  /** Whether an object stores a run of a target of these kinds. */
  keeps(object: KubeObject): boolean;
  /** Updates the index after a change or deletion. Returns the targets whose run this is, or was until now. */
  file(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** The stored runs of a target. */
  of(target: KubeObject): readonly KubeObject[];
}

/** @param kinds every kind whose targets may be watched */
export function createRunCache(kinds: () => readonly Kind[]): RunCache {
  const byTarget = new Map<TargetKey, Map<string, KubeObject>>();
  /** By `keyOf`. */
  const targetOf = new Map<string, TargetKey>();

  /** The target that the labels name. An object with another owner is no run: it would be deleted with that owner. */
  function named({ metadata }: KubeObject): TargetKey | undefined {
    const { labels = {}, namespace = '', ownerReferences = [] } = metadata;
    const [of, name] = [labels[RUN_KIND_LABEL], labels[RUN_TARGET_LABEL]];
    if (of === undefined || name === undefined || name === '') return undefined;
    const isOfTarget = (owner: OwnerReference): boolean =>
      owner.controller !== true && runKindLabel(groupKindOf(owner)) === of && owner.name === name;
    if (!ownerReferences.every(isOfTarget)) return undefined;
    const kind = kinds().find(({ id, uses }) => runKindLabel(id) === of && uses.some(isRuns));
    return kind && targetKey(kind.id, namespace, name);
  }

  function drop(id: string, key: TargetKey): void {
    byTarget.get(key)?.delete(id);
    if (byTarget.get(key)?.size === 0) byTarget.delete(key);
    targetOf.delete(id);
  }

  return {
    keeps: (object) => named(object) !== undefined,
    file(object, gone) {
      const id = keyOf(object);
      const before = targetOf.get(id);
      const key = gone ? undefined : named(object);
      if (before !== undefined && before !== key) drop(id, before);
      if (key !== undefined) {
        byTarget.set(key, (byTarget.get(key) ?? new Map<string, KubeObject>()).set(id, object));
        targetOf.set(id, key);
      }
      return [...new Set([before, key])].filter((each) => each !== undefined);
    },
    of(target) {
      const { namespace = '', name } = target.metadata;
      return [...(byTarget.get(targetKey(groupKindOf(target), namespace, name))?.values() ?? [])];
    },
  };
}

function isRuns({ of }: Kind['uses'][number]): boolean {
  return of === 'Runs';
}
