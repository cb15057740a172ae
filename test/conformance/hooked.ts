import type { JsonObject } from '../../schemas/wire/json.ts';
import { type GitUnits, ownedPods } from '../../semantics/kinds/git-units.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { noHooks } from '../../semantics/lifecycle/hooks.ts';
import type { World as Sandbox } from 'kruise-sandbox';
import type { Mode } from '../../semantics/template/mode.ts';
import { fewHistoriesOf } from './histories.ts';
import type { Change, Subject, World } from './subject.ts';

const DRAIN = 'example.com/drain';
const READY = 'example.com/ready';
const GUARD = 'example.com/guard';

/** A hook, the way of updates that meets it, and the label that the template gives to pods for it. */
interface Hook {
  name: string;
  mode: Mode;
  lifecycle: JsonObject;
  labels: Readonly<Record<string, string>>;
}

const hooks: readonly Hook[] = [
  {
    name: 'inPlaceUpdate',
    mode: 'InPlace',
    lifecycle: { inPlaceUpdate: { labelsHandler: { [READY]: 'true' }, markPodNotReady: true } },
    labels: { [READY]: 'true' },
  },
  {
    name: 'preDelete',
    mode: 'Recreate',
    lifecycle: { preDelete: { labelsHandler: { [DRAIN]: 'true' }, markPodNotReady: true } },
    labels: { [DRAIN]: 'true' },
  },
  {
    name: 'preNormal',
    mode: 'Recreate',
    lifecycle: { preNormal: { labelsHandler: { [GUARD]: 'true' } } },
    labels: {},
  },
];

/** What the controller behind the hooks does about a pod in a state: the label that it sets, or removes with null. */
const answers: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  PreparingUpdate: { [READY]: null },
  Updated: { [READY]: 'true' },
  PreparingDelete: { [DRAIN]: null },
  PreparingNormal: { [GUARD]: 'true' },
};

/** Worlds in which pods wait at hooks, for a kind that reads the field `lifecycle`. */
export function hookWorldsOf(subject: Subject): World[] {
  return hooks
    .filter((hook) => servesHook(subject, hook))
    .flatMap((hook) => {
      const change = subject.changes.find(({ mode }) => mode === hook.mode);
      if (change === undefined) return [];
      return fewHistoriesOf(subject, hooked(change, hook)).map((world) => atHook(world, hook));
    });
}

/** The same world with a controller behind the hooks, in which at least one pod has waited. */
function atHook(world: World, { name }: Hook): World {
  let answered = 0;
  return {
    ...world,
    ...(name === 'preNormal' && { newPodsWait: true }),
    prepare: (sandbox) => {
      answered = 0;
      answerHooks(sandbox, () => (answered += 1));
    },
    script: [...world.script, ({ when }) => when('a pod has waited at its hook', () => answered > 0)],
  };
}

function hasHooks(units: GitUnits): boolean {
  const own = ownedPods(units);
  return own !== undefined && own.lifecycle !== noHooks;
}

/** Whether a kind takes manifests with this hook, and reads it. */
function servesHook({ kind, changes }: Subject, hook: Hook): boolean {
  return changes.some(({ states: [{ manifest }] }) => {
    const read = withHook(manifest, hook);
    return kind.validate(read).length === 0 && hasHooks(kind.git.read(read).units);
  });
}

/** The names of the hooks that a kind reads from its manifests: it must have worlds at each. */
export function hooksOf(subject: Subject): string[] {
  return hooks.filter((hook) => servesHook(subject, hook)).map(({ name }) => name);
}

function hooked({ title, mode, states: [first, second, third] }: Change, hook: Hook): Change {
  const at = (state: typeof first): typeof first => ({
    ...state,
    manifest: withHook(state.manifest, hook),
  });
  return { title: `${title}, at hook ${hook.name}`, mode, states: [at(first), at(second), at(third)] };
}

function withHook(manifest: KubeObject, { lifecycle, labels }: Hook): KubeObject {
  const spec = manifest['spec'] as { template: { metadata: { labels: object } } };
  const { template } = spec;
  const metadata = { ...template.metadata, labels: { ...template.metadata.labels, ...labels } };
  return { ...manifest, spec: { ...spec, lifecycle, template: { ...template, metadata } } };
}

/** The controller behind the hooks: it answers as soon as it sees a pod wait. */
function answerHooks(sandbox: Sandbox, onAnswer: () => void): void {
  const controller = sandbox.cluster('hooks');
  sandbox.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods' || type === 'DELETED') return;
    const { name, namespace = '', labels = {} } = object.metadata;
    const answer = answers[labels['lifecycle.apps.kruise.io/state'] ?? ''] ?? {};
    if (Object.entries(answer).every(([key, value]) => (labels[key] ?? null) === value)) return;
    const body = { metadata: { labels: answer } };
    onAnswer();
    // The pod may be gone meanwhile.
    void controller.patch(resources.Pod, { namespace, name }, { type: 'merge', body }).catch(() => {});
  });
}
