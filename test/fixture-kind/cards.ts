import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../../semantics/decision.ts';
import { controllerReference, groupKindOf } from '../../semantics/owner.ts';
import type { Revision } from '../../semantics/revision/revision.ts';
import type { RackSpec } from './spec.ts';

/** What the card of a slot is. */
export const cardResource: Resource = core('configmaps', 'ConfigMap');
/** What a rack is locked by. */
export const lockResource: Resource = core('secrets', 'Secret');

function core(plural: string, kind: string): Resource {
  return { group: '', version: 'v1', plural, kind, namespaced: true };
}

/** The card of each slot says what the slot is to hold; those of slots that are no more, go. */
export function decideCards(
  target: KubeObject,
  spec: RackSpec,
  children: readonly KubeObject[],
  wanted: readonly (readonly [slot: string, revision: Revision | undefined])[],
): Action[] {
  const cards = children.filter((each) => groupKindOf(each).kind === cardResource.kind);
  const child = { kind: 'Child', resource: cardResource, namespace: spec.namespace ?? '' } as const;
  const slots = new Map(spec.cards === true ? wanted : []);
  const actions: Action[] = [];
  for (const [name, revision] of slots) {
    const before = cards.find(({ metadata }) => metadata.name === name);
    const data = { image: imageOf(revision) };
    if (before === undefined) {
      const metadata = { name, namespace: child.namespace, ownerReferences: [controllerReference(target)] };
      const object = { apiVersion: 'v1', kind: cardResource.kind, metadata, data };
      actions.push({ ...child, do: 'create', verb: 'write card', object, reason: 'its slot has none' });
    } else if ((before['data'] as typeof data).image !== data.image) {
      const { uid = '', resourceVersion = '' } = before.metadata;
      const body = { metadata: { uid, resourceVersion }, data };
      actions.push({ ...child, do: 'patch', verb: 'rewrite card', name, body, reason: 'it is outdated' });
    }
  }
  for (const { metadata } of cards) {
    const { name, uid = '', resourceVersion = '' } = metadata;
    if (slots.has(name)) continue;
    const because = 'there is no such slot any more';
    actions.push({ ...child, do: 'delete', verb: 'tear card', name, uid, resourceVersion, reason: because });
  }
  return actions;
}

function imageOf(revision: Revision | undefined): string {
  const { spec } = (revision?.template ?? {}) as { spec?: { containers?: { image?: string }[] } };
  return spec?.containers?.[0]?.image ?? '';
}
