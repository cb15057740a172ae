import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Creation, NewPodRules } from '../../semantics/kinds/admission.ts';
import type { RulesOf } from '../../semantics/kinds/admitting.ts';
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
 * The pod as a kind changes it, once its record was written; or why it is refused. Where its rules end in an error, or the record cannot be
 * written, the pod stays as it is: pods must be created. A kind that has influenced the decision of the runtime to create a pod has
 * changed and counted it, and is not asked again.
 */
export async function createdByKind(
  { pod, namespace, requestId, user, isDryRun }: NewPodRequest,
  { kind, rules }: RulesOf<NewPodRules>,
  sources: CreationSources,
): Promise<{ pod: KubeObject } | RefusedPod> {
  if (kind.influence !== undefined && sources.accounts.includes(user)) return { pod };
  const objects = sources.objects(kind, namespace);
  if (objects.length === 0) return { pod };
  const { read, onUnrecorded: onUnread } = sources;
  const owners = await ownersOf(pod, namespace, { reads: rules.reads, read, onUnread });
  const looked = await lookedUp(rules, { pod, objects, namespace }, { read, onUnread });
  if (looked === 'unread') return { pod };
  const recorded = await sources.recorder.settle<Creation>(
    kind.resource,
    (newest) => {
      const present = objects.flatMap((object) => newest(object) ?? []);
      const { found } = looked;
      const value = rules.create({ pod, owners, objects: present, found, requestId, now: sources.now });
      if (value.is !== 'recorded' || isDryRun) return { value, record: undefined };
      return { value, record: value };
    },
    sources.deadline,
  );
  if (recorded.is !== 'decided') {
    const { name } = recorded;
    const about = name === '' ? `${kind.id.kind} in ${namespace}` : `${kind.id.kind} ${name}`;
    const error = recorded.is === 'failed' ? recorded.error : new Error('others write its status');
    sources.onUnrecorded(about, error);
    return { pod };
  }
  const { value } = recorded;
  if (value.is !== 'refused') return { pod: value.pod };
  const refused = `${kind.id.kind} ${value.object.metadata.name}: ${value.message}`;
  return { refused, code: 403, reason: 'Forbidden' };
}

async function lookedUp(
  { alsoReads }: NewPodRules,
  { pod, objects, namespace }: { pod: KubeObject; objects: readonly KubeObject[]; namespace: string },
  { read, onUnread }: { read: Read; onUnread(about: string, error: unknown): void },
): Promise<{ found: KubeObject | undefined } | 'unread'> {
  const named = alsoReads.of({ pod, objects });
  if (named === undefined) return { found: undefined };
  const { resource, name } = named;
  try {
    return { found: await read(resource, namespace, name) };
  } catch (error) {
    onUnread(`${resource.kind} ${namespace}/${name}`, error);
    return 'unread';
  }
}
