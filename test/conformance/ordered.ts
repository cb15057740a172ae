import type { KubeObject } from '../../schemas/wire/object.ts';
import type { World as Sandbox } from 'kruise-sandbox';
import { barrierPriorities } from '../../semantics/pod/launching.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { fewHistoriesOf } from './histories.ts';
import type { Change, Subject, World } from './subject.ts';

/** The container that starts last, and how long it takes those before it to be ready. */
const LATE = 'late';
const READY_MS = 3_000;

/** Worlds of pods whose containers start in an order, for a kind that serves that. */
export function orderedWorldsOf(subject: Subject): World[] {
  if (!servesOrder(subject)) return [];
  return subject.changes.flatMap((change) =>
    fewHistoriesOf(subject, ordered(change)).map((world) => watched(world, change)),
  );
}

/** Whether the pods of a kind wait for their order. */
export function servesOrder({ kind, hashOf, changes }: Subject): boolean {
  return changes.some(({ states: [{ manifest }] }) => {
    const target = withOrder({ ...manifest, metadata: { ...manifest.metadata, uid: 'u' } });
    const objects = { target, pods: [], revisions: [], takenNames: new Set<string>(), now: 0 };
    const revisions = kind
      .observe(objects)
      .revise()
      .flatMap((action) => (action.do === 'create' ? [action.object] : []));
    const units = kind.git.units(target, revisions, [hashOf(target)], 0, ['node']);
    return units.some((unit) => barrierPriorities(unit as Pod).size > 0);
  });
}

/** The same world, in which the last container of a pod has started, and none did before the others were ready. */
function watched(world: World, { states }: Change): World {
  let early: string[] = [];
  let started = 0;
  return {
    ...world,
    prepare: (sandbox) => {
      early = [];
      started = 0;
      for (const { image } of states)
        if (image !== undefined) sandbox.images.set(image, { readyMs: READY_MS });
      watch(
        sandbox,
        (pod) => early.push(pod),
        () => (started += 1),
      );
    },
    script: [
      ...world.script,
      ({ when }) => when(`containers have started in their order`, () => started > 0 && early.length === 0),
    ],
  };
}

/** Calls `onEarly` for each pod whose last container runs before the others were ready once, else `onStart`. */
function watch(sandbox: Sandbox, onEarly: (pod: string) => void, onStart: () => void): void {
  const ready = new Set<string>();
  const done = new Set<string>();
  sandbox.onCommit(({ resource, type, object }) => {
    const { uid = '', name } = object.metadata;
    if (resource !== 'pods' || type === 'DELETED' || done.has(uid)) return;
    const statuses = (object as Pod).status?.containerStatuses ?? [];
    const others = statuses.filter((each) => each.name !== LATE);
    const state = statuses.find((each) => each.name === LATE)?.['state'] as { running?: object } | undefined;
    if (state?.running !== undefined) {
      done.add(uid);
      if (ready.has(uid)) onStart();
      else onEarly(name);
    }
    if (others.length > 0 && others.every((each) => each.ready === true)) ready.add(uid);
  });
}

function ordered({ title, mode, states: [first, second, third] }: Change): Change {
  const at = (state: typeof first): typeof first => ({ ...state, manifest: withOrder(state.manifest) });
  return { title: `${title}, in order`, mode, states: [at(first), at(second), at(third)] };
}

function withOrder(manifest: KubeObject): KubeObject {
  const spec = manifest['spec'] as {
    template: { metadata: { annotations?: object }; spec: { containers: object[] } };
  };
  const { template } = spec;
  const annotations = {
    ...template.metadata.annotations,
    'apps.kruise.io/container-launch-priority': 'Ordered',
  };
  const containers = [...template.spec.containers, { name: LATE, image: 'late:1' }];
  const pod = { ...template.spec, containers };
  return {
    ...manifest,
    spec: { ...spec, template: { ...template, metadata: { ...template.metadata, annotations }, spec: pod } },
  };
}
