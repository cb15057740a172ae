import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Condition } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Node } from '../../../semantics/node/node.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Mode } from '../../../semantics/template/mode.ts';
import { approve, commit, phase, unitsAt } from '../actions.ts';
import { serves } from '../serving.ts';
import { act, all, type Ledger, NAMESPACE, type ScriptStep, type Setup, type World } from '../subject.ts';
import { inPlace, surge, two, web } from './manifests.ts';

/** Something is done about nodes; everything else follows. */
const nodes = (change: (nodes: Setup['sandbox']['nodes']) => void): ScriptStep =>
  act(async ({ sandbox }) => change(sandbox.nodes));

const joins = (name: string): ScriptStep => nodes((here) => here.add(name));
const leaves = (name: string): ScriptStep => nodes((here) => here.remove(name));

/** The node stops reporting, and after a while it is not Ready any more. */
const fails = (name: string): ScriptStep[] => [
  nodes((here) => here.stopKubelet(name)),
  isReady(name, 'Unknown'),
];
/** Its pods end, it is not Ready, and then it does not report. */
const shutsDown = (name: string): ScriptStep[] => [
  nodes((here) => here.shutDown(name)),
  isReady(name, 'Unknown'),
];
const returns = (name: string): ScriptStep[] => [
  nodes((here) => here.startKubelet(name)),
  isReady(name, 'True'),
];

const statusOf = (node: Node | undefined): NonNullable<Node['status']> => node?.status ?? {};

/** Waits until the condition Ready of a node has this status. */
function isReady(name: string, status: Condition['status']): ScriptStep {
  return ({ when }) =>
    when(`${name} is Ready=${status}`, ({ objects }) => {
      const { conditions = [] } = statusOf(objects.get(`Node//${name}`));
      return conditions.find(({ type }) => type === 'Ready')?.status === status;
    });
}

const servesOn = (ledger: Ledger, name: string): boolean =>
  ledger.pods().some((pod) => nodeOfPod(pod) === name && serves(pod));

/** Waits until these nodes have a pod that serves. */
const served =
  (...names: readonly string[]): ScriptStep =>
  ({ when }) =>
    when(`a pod serves on ${names.join(', ')}`, (ledger) => names.every((name) => servesOn(ledger, name)));

/** Evicts the pods of a cordoned node, as tools do that replace nodes. */
const drains = (name: string): ScriptStep =>
  act(async ({ sandbox, user, ledger }) => {
    sandbox.nodes.cordon(name);
    for (const pod of ledger.pods().filter((each) => nodeOfPod(each) === name))
      await user.delete(resources.Pod, { namespace: NAMESPACE, name: pod.metadata.name });
  });

const canary: Step[] = [{ id: 'one', update: { to: 1 } }, { id: 'ok', approve: {} }, all];
const soak: Step[] = [
  { id: 'one', update: { to: 1 }, onFailure: 'Revert' },
  { id: 'soak', soak: { for: '30m' } },
  all,
];

/** A way of updates, under which the same happens to nodes. */
interface Way {
  name: string;
  mode: Mode;
  rolling: JsonObject;
}

const ways: readonly Way[] = [
  { name: 'in place', mode: 'InPlace', rolling: inPlace },
  { name: 'recreated', mode: 'Recreate', rolling: two },
  { name: 'beside the old pods', mode: 'Recreate', rolling: surge },
];

function worldsOf({ name, mode, rolling }: Way): World[] {
  const [before, after] = [web(1, rolling), web(2, rolling)] as const;
  const plan = (...steps: Step[]): ScriptStep => commit(after, { mode, from: [before], steps });
  const world = (
    what: string,
    script: readonly ScriptStep[],
    count = 4,
    more: Partial<World> = {},
  ): World => ({
    title: `${name}: ${what}`,
    target: before,
    script,
    end: { phase: 'Succeeded', units: { 'web:2': count } },
    ...more,
  });
  return [
    world('a node fails at the approval, is left out, and gets the update once it is back', [
      plan(...canary),
      phase('AwaitingApproval'),
      ...fails('node-2'),
      approve('ok'),
      phase('Succeeded'),
      ...returns('node-2'),
    ]),
    world(
      'a node fails in the middle of a batch, and comes back',
      [plan(all), unitsAt('web:2', 1), ...fails('node-1'), ...returns('node-1')],
      4,
      { hangsOnMoments: true },
    ),
    // Where its pods are observed before it, another node may be updated in its place.
    world(
      'the updated node reboots within the soak',
      [plan(...soak), phase('Soaking'), ...shutsDown('node-4'), ...returns('node-4'), served('node-4')],
      4,
      { hangsOnMoments: true },
    ),
    world('the updated node fails for a while within the soak', [
      plan(...soak),
      phase('Soaking'),
      ...fails('node-4'),
      ...returns('node-4'),
      served('node-4'),
    ]),
    world('a node is drained at the approval, and comes back', [
      plan(...canary),
      phase('AwaitingApproval'),
      drains('node-3'),
      served('node-3'),
      approve('ok'),
      phase('Succeeded'),
      nodes((here) => here.uncordon('node-3')),
    ]),
    world(
      'the updated node is replaced at the approval',
      [
        plan(...canary),
        phase('AwaitingApproval'),
        joins('node-5'),
        served('node-5'),
        leaves('node-4'),
        gone('node-4'),
        approve('ok'),
      ],
      4,
      { sizeChanges: true, hangsOnMoments: true, mayBeMissed: true },
    ),
    world(
      'an autoscaler adds and removes nodes all the time',
      [
        plan({ id: 'half', update: { to: '50%' } }, { id: 'soak', soak: { for: '20m' } }, ...canary.slice(1)),
        joins('node-5'),
        unitsAt('web:2', 1),
        joins('node-6'),
        phase('Soaking'),
        ...['node-1', 'node-5', 'node-4'].flatMap((old, index) => [
          joins(`node-${index + 7}`),
          served(`node-${index + 7}`),
          leaves(old),
          gone(old),
        ]),
        phase('AwaitingApproval'),
        joins('node-10'),
        approve('ok'),
        unitsAt('web:2', 4),
        leaves('node-2'),
        joins('node-11'),
      ],
      7,
      { sizeChanges: true, hangsOnMoments: true, mayBeMissed: true },
    ),
  ];
}

/** Waits until no pod is on a node, which garbage collection takes a while for. */
function gone(name: string): ScriptStep {
  return ({ when }) =>
    when(`the pods of ${name} are gone`, (ledger) => !ledger.pods().some((pod) => nodeOfPod(pod) === name));
}

/** What happens to nodes while they are updated. */
export const nodeWorlds: readonly World[] = ways.flatMap(worldsOf);
