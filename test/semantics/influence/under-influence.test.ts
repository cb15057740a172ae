import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action } from '../../../semantics/decision.ts';
import { activeInfluence } from '../../../semantics/influence/active.ts';
import type { Influence, Influences } from '../../../semantics/influence/influence.ts';
import { underInfluence } from '../../../semantics/influence/under-influence.ts';
import { unreadInfluence } from '../../../semantics/influence/unjudged.ts';
import {
  type CapSpec,
  base,
  cap,
  caps,
  create,
  decided,
  image,
  label,
  NOW,
  patch,
  pod,
  PODS,
  remove,
  resize,
  resource,
  target,
} from './caps.ts';

describe('what may make pods unavailable', () => {
  it('is as decided where nothing acts on it', () => {
    const actions = [remove('a1'), label('b1')];
    const { found, shown } = decided([], actions);
    expect(found).toEqual({
      decision: { actions, status: { reason: undefined }, explanations: [] },
      held: undefined,
      waitsFor: [],
      limitedBy: undefined,
      isPart: false,
    });
    expect(shown).toHaveLength(1);
  });

  it.each<[string, Partial<CapSpec>[], Action[], string[], string[]]>([
    [
      'takes the slots that are left, in the order of the decision',
      [{ of: 'a', left: 1 }],
      [remove('a2'), remove('a1')],
      ['reserve x for a2', 'delete a2 by x'],
      ['a1 waits: Cap x allows 1 unavailable pod, and a2 is changed first'],
    ],
    [
      'takes all slots of an object in one write',
      [{ of: 'ab', left: 3 }],
      [remove('a1'), image('a2'), remove('b1')],
      ['reserve x for a1 a2 b1', 'delete a1 by x', 'patch a2 by x', 'delete b1 by x'],
      [],
    ],
    [
      'takes a slot of every object that covers the pod, and none if one has none left',
      [
        { of: 'ab', left: 2 },
        { of: 'bc', left: 1 },
      ],
      [remove('b1'), remove('b2'), remove('a1'), remove('c1')],
      ['reserve x for b1 a1', 'reserve y for b1', 'delete b1 by x y', 'delete a1 by x'],
      [
        'b2 waits: Cap y allows 1 unavailable pod, and b1 is changed first',
        'c1 waits: Cap y allows 1 unavailable pod, and b1 is changed first',
      ],
    ],
    [
      'goes on with pods that no object covers',
      [{ of: 'a' }],
      [remove('a1'), remove('c1')],
      ['delete c1'],
      ['a1 waits: Cap x allows 1 unavailable pod'],
    ],
    [
      'goes on with writes that leave a pod available',
      [{ of: 'a' }],
      [
        label('a1'),
        patch(
          'a1',
          { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
          { subresource: 'status' },
        ),
        patch(
          'a1',
          { status: { conditions: [{ type: 'Upgradable', status: 'False' }] } },
          { subresource: 'status' },
        ),
      ],
      ['patch a1', 'patch a1', 'patch a1'],
      [],
    ],
    [
      'closes no gate without a slot',
      [{ of: 'a' }],
      [
        patch(
          'a1',
          { status: { conditions: [{ type: 'InPlaceUpdateReady', status: 'False' }] } },
          { subresource: 'status' },
        ),
        patch('a2', { spec: { containers: [{ name: 'main' }] } }, { subresource: 'resize' }),
      ],
      [],
      ['a1 waits: Cap x allows 1 unavailable pod', 'a2 waits: Cap x allows 1 unavailable pod'],
    ],
  ])('%s', (_, specs, actions, words, waits) => {
    const objects = specs.map((spec, index) => cap('xyz'[index] ?? '', spec));
    const { words: got, found } = decided(objects, actions);
    expect(got).toEqual(words);
    expect(found.decision.explanations.map(({ about, reason }) => `${about} ${reason}`)).toEqual(waits);
  });

  it('is not of the objects of another namespace', () => {
    expect(decided([cap('x', { of: 'a' }, 'other')], [remove('a1')]).words).toEqual(['delete a1']);
  });

  it.each<[string, Action[], unknown[]]>([
    ['the pods that become unavailable', [remove('a1'), label('b1')], [['a1']]],
    ['any pods where new ones are created', [remove('a1'), create('c2')], [undefined]],
    ['none where no pod becomes unavailable', [label('b1')], []],
  ])('is looked for among those of %s', (_, actions, expected) => {
    const asked: unknown[] = [];
    const influences: Influences = (pods) => {
      asked.push(pods?.map(({ metadata }) => metadata.name));
      return [];
    };
    decided([], actions, undefined, { influences });
    expect(asked).toEqual(expected);
  });

  it('is on record with what is done to each pod', () => {
    const record: Influence['record'] = (_object, { disrupted }) => ({
      status: Object.fromEntries(disrupted.map(({ pod: { metadata }, how }) => [metadata.name, how])),
    });
    const object = cap('x', { of: 'a', left: 2 });
    const found = underInfluence(
      {
        influences: () => [activeInfluence({ rules: { ...caps, record }, resource }, object, NOW)],
        target,
        pods: PODS.map(pod),
        nodes: undefined,
        now: NOW,
      },
      undefined,
      () => ({ actions: [remove('a1'), resize('a2', image('a2'))], status: {}, explanations: [] }),
    );
    expect(found.decision.actions[0]).toMatchObject({ body: { status: { a1: 'Delete', a2: 'Update' } } });
  });

  it('binds a reservation to the object that it was decided on', () => {
    const { found } = decided([cap('x', { of: 'a', left: 1 })], [remove('a1')]);
    expect(found.decision.actions[0]).toMatchObject({
      do: 'reserve',
      resource,
      namespace: 'shop',
      name: 'x',
      body: { metadata: { uid: 'uid-x', resourceVersion: '7' } },
    });
  });
});

describe('a wait for a slot', () => {
  const MESSAGE = '2 pods may not become unavailable now: Cap x allows 1 unavailable pod';

  it('is in the status, and asks for another decision', () => {
    const x = cap('x', { of: 'a' });
    const { found } = decided([x], [remove('a1'), remove('a2')], undefined, { waitsSince: NOW - 1_000 });
    const held = { reason: 'DisruptionNotAllowed', message: MESSAGE };
    expect(found).toMatchObject({
      held,
      waitsFor: [x],
      decision: { actions: [], status: { reason: held }, requeueAt: NOW + 10_000 },
    });
  });

  it('is not shown within a second, unless it has been shown before, and asks for a decision then', () => {
    const objects = [cap('x', { of: 'a' })];
    const after = (waitsSince?: number) => decided(objects, [remove('a1')], undefined, { waitsSince }).found;
    const unseen = { held: undefined, waitsFor: objects, limitedBy: 'Cap x allows 1 unavailable pod' };
    expect(after()).toMatchObject({ ...unseen, decision: { actions: [], requeueAt: NOW + 1_000 } });
    expect(after(NOW - 999)).toMatchObject({ ...unseen, decision: { actions: [], requeueAt: NOW + 1 } });
    expect(after(NOW - 1_000).held?.reason).toBe('DisruptionNotAllowed');
    // Its status says so already.
    expect(after(0)).toMatchObject({ held: { reason: 'DisruptionNotAllowed' } });
  });

  it('is not shown for the target while another of its pods can be changed, nor where there is another reason', () => {
    const objects = [cap('x', { of: 'a' })];
    expect(decided(objects, [remove('a1'), remove('b1')]).found).toMatchObject({ held: undefined });
    const other = { reason: 'Paused', message: 'by mona' };
    expect(decided(objects, [remove('a1')], other).found).toMatchObject({
      held: other,
      decision: { status: { reason: other } },
    });
  });

  it('is for all pods where the objects cannot be read, and new pods are created', () => {
    const { decision, held } = underInfluence(
      {
        influences: () => [unreadInfluence({ rules: caps, resource }, 'shop')],
        target,
        pods: PODS.map(pod),
        nodes: undefined,
        now: NOW,
        waitsSince: 0,
      },
      undefined,
      () => ({ actions: [remove('a1'), create('c2')], status: {}, explanations: [] }),
    );
    expect(decision.actions).toEqual([create('c2')]);
    expect(decision.explanations).toEqual([
      { about: 'a1', reason: 'waits: a Cap that cannot be read allows 0 unavailable pods' },
    ]);
    expect(held?.reason).toBe('DisruptionNotAllowed');
  });
});

describe('new pods', () => {
  it('are as each object wants them, and what each counts is in its one write', () => {
    const objects = [
      cap('x', { of: 'ac', made: 1, left: 1 }),
      cap('y', { of: 'a', made: 2 }),
      cap('z', { of: 'b' }),
    ];
    const { words, found } = decided(objects, [create('a3'), create('c2'), create('d1'), remove('c1')]);
    expect(words).toEqual([
      'reserve x for c1 a3',
      'reserve y for a3',
      'create a3 by x y',
      'create c2',
      'create d1',
      'delete c1 by x',
    ]);
    const pods = found.decision.actions.flatMap((action) => (action.do === 'create' ? [action.object] : []));
    expect(pods.map(({ metadata }) => metadata.annotations)).toEqual([
      { x: 'web', y: 'web' },
      undefined,
      undefined,
    ]);
  });

  it('are found after their claims, and without those that only pull images', () => {
    const claim: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } };
    const next = create('a3') as Extract<Action, { do: 'create' }>;
    const chained: Action = { ...base, kind: 'PersistentVolumeClaim', do: 'create', object: claim, next };
    const labels = { 'plan.kruise.io/pull': 'x' };
    const pull: Action = { ...next, object: { ...next.object, metadata: { name: 'a4', labels } } };
    const { words, found } = decided([cap('x', { of: 'a', made: 9 })], [pull, chained]);
    expect(words).toEqual(['reserve x for a3', 'create a4', 'create data by x']);
    expect(found.decision.actions[2]).toMatchObject({
      next: { object: { metadata: { annotations: { x: 'web' } } } },
    });
  });
});
