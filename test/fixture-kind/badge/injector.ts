import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type {
  Injection,
  InjectionInput,
  PodInjector,
  Published,
} from '../../../semantics/kinds/pod-injector.ts';
import { isOwnedBy } from '../../../semantics/owner.ts';
import { parseRevisions, stableRevision } from '../../../semantics/revision/revision.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { textOf } from '../../../semantics/values/read.ts';
import { selectorPredicate } from '../../../semantics/values/selector.ts';
import { badgeResource, NEW_PODS_ANNOTATION, specOf, WORN_ANNOTATION, wornOf } from './spec.ts';

/** Badges as what they do to new pods. */
export const badgeInjector: PodInjector = {
  id: { group: badgeResource.group, kind: badgeResource.kind },
  resource: badgeResource,
  versions: ['v1'],
  exempt: ['kube-system'],
  validate: () => [],
  validateChange: () => [],
  impossibleAtFirst: () => [],
  podOf: (object) => ({ spec: { containers: [...specOf(object).containers] } }),
  conflicts: (objects) =>
    objects.flatMap((later, index) =>
      objects
        .slice(0, index)
        .flatMap((earlier, other) =>
          containerNames(later).flatMap((name, at) =>
            containerNames(earlier).includes(name)
              ? [{ index, other, path: ['spec', 'containers', String(at), 'name'], what: 'container', name }]
              : [],
          ),
        ),
    ),
  clashes: (object) => (own) =>
    own.containers.flatMap((each) => {
      const at = containerNames(object).indexOf(each.name);
      return at === -1
        ? []
        : [{ of: 'container', path: ['spec', 'containers', String(at), 'name'], own: each }];
    }),
  initOrder: () => undefined,
  selectsNamespace: () => true,
  inject,
  published,
  native: {
    stays: [],
    losses: [],
    differs: [],
    of: () => ({ stays: [{ what: 'containers', instead: 'a fixture has no native form' }] }),
  },
  newestOnRecord: ({ status }) => (status as { latest?: string } | undefined)?.latest,
};

function containerNames(object: KubeObject): string[] {
  return specOf(object).containers.map(({ name }) => textOf(name));
}

function inject({ pod, sets, revisions, published: given }: InjectionInput): Injection {
  const matching = sets.filter((set) => selectorPredicate(specOf(set).selector)(pod.metadata.labels));
  const spec = pod['spec'] as { containers?: JsonObject[] };
  const own = new Set((spec.containers ?? []).map(({ name }) => textOf(name)));
  let next = pod;
  const injected = matching.flatMap((set) => {
    const { name } = set.metadata;
    const on = given.get(name);
    if (on?.is === 'nothing') return [];
    const revision = parseRevisions(revisions).find((each) => each.name === on?.name);
    const template = revision?.template ?? specOf(set).template;
    const hash = templateHash(template);
    const added = wornOf(template).filter((each) => !own.has(textOf(each['name'])));
    const { containers = [] } = next['spec'] as { containers?: object[] };
    next = {
      ...next,
      metadata: { ...next.metadata, annotations: { ...next.metadata.annotations, [WORN_ANNOTATION]: hash } },
      spec: { ...(next['spec'] as object), containers: [...containers, ...added] },
    };
    return [{ set: name, revision: revision?.name, hash, reason: 'the badge selects the pod' }];
  });
  return { pod: next, injected, skipped: [] };
}

/** A stable revision is for new pods, until another one is for every new pod. */
function published(sets: readonly KubeObject[], revisions: readonly KubeObject[]): Map<string, Published> {
  return new Map(
    sets.flatMap((set) => {
      const own = parseRevisions(revisions.filter((each) => isOwnedBy(each, set)));
      const every = own.findLast(
        ({ object }) => object.metadata.annotations?.[NEW_PODS_ANNOTATION] !== undefined,
      );
      const found = every ?? stableRevision({ revisions: own });
      return found === undefined
        ? []
        : [[set.metadata.name, { is: 'revision', name: found.name, within: undefined } as const]];
    }),
  );
}
