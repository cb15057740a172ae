import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Node } from '../../../semantics/node/node.ts';
import { planStatus } from '../../../semantics/plan/plan-status.ts';
import { pullActions } from '../../../semantics/plan/pulls.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { nodeOf, owner, PULLING, REFUSED, STARTED } from '../pull/fleet.ts';
import { type Drive, drive } from './drive.ts';
import { canary, command, MINUTE, planObject, rest, spec, view, owned } from './rollout.ts';

const pull: Step = { id: 'pull', pull: { images: ['nginx:1.27'], parallelism: 2 } };

/** A rollout in its pull step, with the pods that it has asked for. */
interface Fleet {
  self: Drive;
  pods: Map<string, Pod>;
  /** Reconciles, and does what the decision says. Returns the verbs. */
  act(): string[];
  /** Reconciles and acts, with the time passing. */
  wait(ms: number): void;
  /** The state of the container of the last pod on a node. */
  report(node: string, state: object): void;
  state(): string;
}

function fleet(
  nodes: readonly Node[] | 'pending' | { refused: string },
  step = pull,
  parts: Partial<Drive> = {},
): Fleet {
  const pods = new Map<string, Pod>();
  const self = drive({
    view: view({ units: owned({ podSpec: { containers: [{ name: 'main', image: 'nginx:1.27' }] } }) }),
    plans: [planObject(spec({ steps: [step, canary, rest] }))],
    ...parts,
  });
  const look = () => {
    self.context = { ...emptyContext, pulls: { nodes: () => nodes, pods: [...pods.values()], owner } };
  };
  function create(object: KubeObject): void {
    const pod = { ...object, status: { phase: 'Pending' } } as Pod;
    const { name } = pod.metadata;
    pods.set(name, {
      ...pod,
      metadata: { ...pod.metadata, uid: name, creationTimestamp: timestamp(self.now) },
    });
  }
  const it: Fleet = {
    self,
    pods,
    act() {
      look();
      const actions = pullActions(self.view, self.reconcile(), self.context.pulls, self.now).actions;
      for (const action of actions) {
        if (action.do === 'create') create(action.object);
        else pods.delete(action.name);
      }
      return actions.map(({ do: what, reason }) => `${what} ${reason}`);
    },
    wait(ms) {
      for (let left = ms; left > 0; left -= 5_000) {
        it.act();
        self.now += Math.min(left, 5_000);
      }
      it.act();
    },
    report(node, state) {
      const last = [...pods.values()].findLast(
        ({ metadata }) => metadata.annotations?.['plan.kruise.io/pull-node'] === node,
      );
      if (last === undefined) throw new Error(`nothing is pulled to ${node}`);
      last.status = { ...last.status, containerStatuses: [{ name: 'image-1', state }] };
    },
    state() {
      const { phase = 'Pending', step: at = -1, reason } = self.memory[0]?.progress ?? {};
      return [phase, at, ...(reason === undefined ? [] : [reason])].join(' ');
    },
  };
  return it;
}

const three = ['a', 'b', 'c'].map((name) => nodeOf(name));

test('pulls to as many nodes at a time as it says, updates no pod meanwhile, and is done when all have the images', () => {
  const it = fleet(three);
  expect(it.act()).toEqual(['create nginx:1.27 to a', 'create nginx:1.27 to b']);
  expect(it.act()).toEqual([]);
  const result = it.self.reconcile();
  expect(result.waitingOn).toBe('images: 0 of 3 nodes have the images');
  expect(result.waitingLabel).toBe('Images');
  expect(result.envelope).toMatchObject({ allowed: 0, moving: false });
  it.report('a', STARTED);
  it.report('b', PULLING);
  expect(it.act()).toEqual(['create nginx:1.27 to c']);
  it.report('b', STARTED);
  it.report('c', STARTED);
  expect(it.act()).toEqual(Array(3).fill('delete no image is to be pulled any more'));
  expect(it.state()).toBe('Running 1');
});

test('is done at once where every node lists the images, and where no node fits', () => {
  for (const nodes of [
    [],
    three.map(({ metadata }) => nodeOf(metadata.name, ['docker.io/library/nginx:1.27'])),
  ]) {
    const it = fleet(nodes);
    expect(it.act()).toEqual([]);
    expect(it.state()).toBe('Running 1');
  }
});

test('an image that the template does not run is not pulled: the step fails', () => {
  const it = fleet(three, { id: 'pull', pull: { images: ['nginx:1.27', 'miner:1'] } });
  it.act();
  expect(it.state()).toBe('Halted 0 PullFailed');
  expect(it.pods.size).toBe(0);
  expect(it.self.memory[0]?.progress.message).toBe(
    'pull: miner:1 is no image of the template, and nothing else is pulled',
  );
});

test('one node at a time unless the plan says otherwise', () => {
  const it = fleet(three, { id: 'pull', pull: { images: ['nginx:1.27'] } });
  expect(it.act()).toEqual(['create nginx:1.27 to a']);
});

test('a crash loses nothing: the pods are the record', () => {
  const it = fleet(three);
  it.act();
  it.report('a', STARTED);
  it.self.crash();
  expect(it.act()).toEqual(['create nginx:1.27 to c']);
});

describe('a node that fails', () => {
  test('has four attempts, and halts the plan', () => {
    const it = fleet(three);
    it.act();
    it.report('a', STARTED);
    for (let attempt = 1; attempt <= 4; attempt++) {
      expect(it.state()).toBe('Running 0');
      it.report('b', REFUSED);
      it.wait(attempt < 4 ? 10_000 * 2 ** (attempt - 1) : 5_000);
      if (attempt === 1) it.report('c', STARTED);
    }
    expect(it.state()).toBe('Halted 0 PullFailed');
    expect(it.self.memory[0]?.progress.message).toBe(
      'pull: b failed 4 times (ImagePullBackOff nginx:1.27); 2 of 3 nodes have the images',
    );
    expect(it.pods.size).toBe(0);
  });

  test('reverts where the step says so', () => {
    const it = fleet(three, { ...pull, onFailure: 'Revert' });
    it.act();
    it.report('a', { waiting: { reason: 'InvalidImageName' } });
    it.act();
    it.act();
    expect(it.state()).toMatch(/^Revert(?:ing|ed) 0 PullFailed$/);
    expect(it.pods.size).toBe(0);
  });
});

test('its timeout names how far it is', () => {
  const it = fleet(three, { ...pull, timeout: '2m' });
  it.wait(2 * MINUTE + 5_000);
  expect(it.self.memory[0]?.progress.message).toBe(
    'pull was not done within 2m: 0 of 3 nodes have the images',
  );
});

test('while it is paused its pods stay, and none is created', () => {
  const it = fleet(three);
  it.act();
  it.self.commands = [command('Pause')];
  it.act();
  it.report('a', STARTED);
  expect(it.act()).toEqual([]);
  expect(it.pods.size).toBe(2);
  it.self.commands = [command('Resume')];
  it.act();
  expect(it.act()).toEqual([]);
  expect(it.pods.size).toBe(3);
});

test('pods that the server refuses: it says so, and fails after ten minutes', () => {
  const it = fleet(three);
  it.act();
  it.pods.clear();
  const look = (): string => {
    const pulls = {
      nodes: () => three,
      pods: [],
      owner,
      refused: 'pods "x" is forbidden: must specify limits.cpu.',
    };
    it.self.context = { ...emptyContext, pulls };
    return it.self.wait(5 * MINUTE).waitingOn;
  };
  expect(look()).toBe(
    'images: 0 of 3 nodes have the images. The server refuses a pod: pods "x" is forbidden: must specify limits.cpu',
  );
  look();
  expect(it.state()).toBe('Halted 0 PullRefused');
});

describe('nodes', () => {
  test('that are not listed yet stop its clock', () => {
    const it = fleet('pending', { ...pull, timeout: '2m' });
    it.wait(5 * MINUTE);
    expect(it.state()).toBe('Running 0');
    expect(it.self.reconcile().waitingOn).toBe('the list of nodes');
  });

  test('that may not be listed fail it after ten minutes', () => {
    const it = fleet({ refused: 'nodes is forbidden' });
    it.wait(9 * MINUTE);
    expect(it.state()).toBe('Running 0');
    it.wait(MINUTE + 5_000);
    expect(it.state()).toBe('Halted 0 NodesForbidden');
    expect(it.self.memory[0]?.progress.message).toBe(
      'pull waited for 10m for the right to list nodes: nodes is forbidden',
    );
  });
});

test('the status of the plan counts nodes, and lists at most twenty of those that have failed or pull', () => {
  const names = Array.from({ length: 30 }, (_, i) => `n${String(i).padStart(2, '0')}`);
  const it = fleet(
    names.map((name) => nodeOf(name)),
    { id: 'pull', pull: { images: ['nginx:1.27'], parallelism: 25 } },
  );
  it.act();
  it.report('n03', REFUSED);
  it.report('n04', STARTED);
  it.act();
  it.act();
  const result = it.self.reconcile();
  const [plan] = it.self.plans;
  if (plan === undefined) throw new Error('there is no plan');
  const status = planStatus({
    view: it.self.view,
    result,
    plan,
    before: undefined,
    generation: 1,
    memory: it.self.memory,
    now: it.self.now,
  });
  expect(status.pull).toMatchObject({ nodes: 30, done: 1, pulling: 25, waiting: 4, failed: 0 });
  expect(status.pull?.listed).toHaveLength(20);
  expect(status.pull?.listed?.[3]).toEqual({
    node: 'n03',
    attempt: 1,
    problem: 'ImagePullBackOff nginx:1.27',
  });
  expect(status.waitingOn).toBe('Images');
});
