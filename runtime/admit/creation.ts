import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Creation, NewPodRules } from '../../semantics/kinds/admission.ts';
import type { RulesOf } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { NewPodRequest, RefusedPod } from './review.ts';
import type { DisruptionSources } from './disruption.ts';
import { ownersOf, type Read } from './controllers-above.ts';

/** What the rules of kinds for new pods read and write. */
export interface CreationSources extends Pick<
  DisruptionSources,
  'recorder' | 'objects' | 'accounts' | 'now' | 'deadline' | 'onUnrecorded'
> {
  /** An object as it is stored now; undefined: there is none. */
  read: Read;
}

/**
 * The pod as these kinds change it, one after the other, each once its record was written; or why it is refused. Where the rules
 * of a kind end in an error, or its record cannot be written, the pod stays as it is: pods must be created. A kind that has
 * influenced the decision of the runtime to create a pod has changed and counted it, and is not asked again.
 */
export async function createdByKinds(
  { pod: before, namespace, requestId, user, isDryRun }: NewPodRequest,
  kinds: readonly RulesOf<NewPodRules>[],
  sourcesOf: (kind: Kind) => CreationSources,
): Promise<{ pod: KubeObject } | RefusedPod> {
  let pod = before;
  for (const { kind, rules } of kinds) {
    const sources = sourcesOf(kind);
    if (kind.influence !== undefined && sources.accounts.includes(user)) continue;
    const objects = sources.objects(kind, namespace);
    if (objects.length === 0) continue;
    const { read, onUnrecorded: onUnread } = sources;
    const owners = await ownersOf(before, namespace, { reads: rules.reads, read, onUnread });
    const recorded = await sources.recorder.settle<Creation>(
      kind.resource,
      (newest) => {
        const present = objects.flatMap((object) => newest(object) ?? []);
        const value = rules.create({ pod, owners, objects: present, requestId, now: sources.now });
        if (value.is !== 'recorded' || isDryRun) return { value, record: undefined };
        return { value, record: value };
      },
      sources.deadline,
    );
    if (recorded.is === 'decided') {
      const { value } = recorded;
      if (value.is === 'refused')
        return {
          refused: `${kind.id.kind} ${value.object.metadata.name}: ${value.message}`,
          code: 403,
          reason: 'Forbidden',
        };
      ({ pod } = value);
    } else {
      const { name } = recorded;
      const about = name === '' ? `${kind.id.kind} in ${namespace}` : `${kind.id.kind} ${name}`;
      sources.onUnrecorded(
        about,
        recorded.is === 'failed' ? recorded.error : new Error('others write its status'),
      );
    }
  }
  return { pod };
}
