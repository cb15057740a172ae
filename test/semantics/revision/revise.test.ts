import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import {
  actionText,
  broken,
  createModel,
  historyOf,
  type Model,
  runningPod,
  template,
  wholeEnvelope,
} from '../cloneset/model.ts';

const hash = (image: string): string => templateHash(template(image));

function revise(model: Model): string[] {
  return model.snapshot().revise().map(actionText);
}

function numbers(model: Model): number[] {
  return model.revisions.map((r) => r['revision'] as number);
}

/** Removes the records of the plan rules: the revisions as OpenKruise creates them. */
function forget(model: Model): void {
  model.revisions = model.revisions.map((r) => ({ ...r, metadata: { ...r.metadata, annotations: {} } }));
}

describe('revisions', () => {
  test('one per template, numbered; nothing more for the same one again (IU-35)', () => {
    const model = historyOf(['web:1', 'web:2']);
    expect(numbers(model)).toEqual([1, 2]);
    expect(revise(model)).toEqual([]);
    for (const { metadata } of model.revisions) {
      expect(metadata.name).toMatch(/^web-[456789bcdf]{1,10}$/);
      expect(metadata.labels).toMatchObject({
        app: 'web',
        'controller.kubernetes.io/hash': metadata.name.slice(4),
      });
    }
  });

  test('a revert reuses the object, with the highest number (CS-28, IU-36)', () => {
    const model = historyOf(['web:1', 'web:2', 'web:1']);
    expect(model.revisions).toHaveLength(2);
    expect(numbers(model)).toEqual([3, 2]);
  });

  test('explicit defaults are the same template: no revision, no new number', () => {
    const model = historyOf(['web:1']);
    model.setTemplate(template('web:1', { imagePullPolicy: 'Always', resources: {} }));
    expect(revise(model)).toEqual([]);
  });

  test('a revision of another controller is found by content, whatever its name and label', () => {
    const model = historyOf(['web:1']);
    model.revisions = model.revisions.map((r) => ({
      ...r,
      metadata: { ...r.metadata, name: 'web-5d9c', labels: { 'controller.kubernetes.io/hash': 'other' } },
    }));
    expect(revise(model)).toEqual([]);
    expect(model.snapshot().rollout.nameOf(hash('web:1'))).toBe('web-5d9c');
  });

  test('a name of other content is a collision: the next hash is used (U08)', () => {
    const model = createModel();
    const [wanted] = revise(model);
    const name = wanted?.replace('create revision ', '') ?? '';
    const other = historyOf(['web:9']).revisions[0] as KubeObject;
    model.revisions = [{ ...other, metadata: { ...other.metadata, name } }];
    const [next] = revise(model);
    expect(next).toMatch(/^create revision web-[456789bcdf]+$/);
    expect(next).not.toBe(wanted);
  });

  test.each([
    [0, ['web:2', 'web:4', 'web:6']],
    [1, ['web:2', 'web:4', 'web:5', 'web:6']],
    [2, ['web:2', 'web:3', 'web:4', 'web:5', 'web:6']],
    [10, ['web:1', 'web:2', 'web:3', 'web:4', 'web:5', 'web:6']],
  ])(
    'with a history of %i, revisions of pods and the live one are retained beyond it (CS-29, IU-38)',
    (limit, left) => {
      const images = ['web:1', 'web:2', 'web:3', 'web:4', 'web:5', 'web:6'];
      const model = historyOf(images, {
        spec: { replicas: 1, revisionHistoryLimit: limit },
        stable: 'web:4',
      });
      model.pods = [runningPod(model, 'web:2', 'o0')];
      model.run({ moving: false, allowed: 0 });
      const kept = images.filter((image) =>
        model.revisions.some((r) => JSON.stringify(r['data']).includes(`"${image}"`)),
      );
      expect(kept).toEqual(left);
    },
  );

  test('a revision that a plan may lead to is retained, and the live one in any case (CS-29)', () => {
    const model = historyOf(['web:1', 'web:2'], {
      spec: { replicas: 0, revisionHistoryLimit: 0 },
      stable: 'web:2',
    });
    const { rollout } = model.snapshot();
    const envelope = wholeEnvelope({ goal: hash('web:2'), stable: rollout.stable, moving: false });
    const decide = (keep: string[]) =>
      model.snapshot().decide(envelope, undefined, new Set(keep)).actions.map(actionText);
    expect(decide([hash('web:1'), hash('web:2')])).toEqual([]);
    const first = `delete revision ${model.revisions[0]?.metadata.name}`;
    expect(decide([hash('web:2')])).toEqual([first]);
    expect(decide([])).toEqual([first]);
  });
});

describe('which revision is stable', () => {
  test('first contact: the revision in git, recorded before the first pod', () => {
    const model = createModel();
    const [action] = model.snapshot().revise();
    expect(action).toMatchObject({
      do: 'create',
      object: { metadata: { annotations: { 'plan.kruise.io/complete': '1' } } },
    });
    model.decide();
    expect(model.snapshot().rollout).toMatchObject({
      stable: hash('web:1'),
      complete: new Set([hash('web:1')]),
    });
  });

  test('a changed template is not stable, not even with no pod left', () => {
    const model = historyOf(['web:1', 'web:2']);
    expect(model.snapshot().rollout.stable).toBe(hash('web:1'));
  });

  const adoptions: [string, (model: Model) => void, string][] = [
    [
      'the one that status.currentRevision names',
      (m) => void (m.target['status'] = { currentRevision: m.revisions[0]?.metadata.name }),
      'web:1',
    ],
    ['else the one with most available pods', () => undefined, 'web:2'],
    [
      'pods that are not available do not count',
      (m) => void (m.pods = m.pods.map((p) => (p.metadata.name.startsWith('n') ? broken(p, m.now) : p))),
      'web:1',
    ],
    ['a tie goes to the older one', (m) => void (m.pods = m.pods.slice(0, 2)), 'web:1'],
    [
      'a name without an object does not count',
      (m) => void (m.target['status'] = { currentRevision: 'web-gone' }),
      'web:2',
    ],
    [
      'no available pod at all: the live one',
      (m) => void (m.pods = m.pods.map((p) => broken(p, m.now))),
      'web:2',
    ],
  ];
  test.each(adoptions)('adoption: %s', (_, arrange, image) => {
    const model = historyOf(['web:1', 'web:2']);
    model.pods = [
      runningPod(model, 'web:1', 'o0'),
      runningPod(model, 'web:2', 'n0'),
      runningPod(model, 'web:2', 'n1'),
    ];
    forget(model);
    arrange(model);
    expect(revise(model)).toHaveLength(1);
    model
      .snapshot()
      .revise()
      .forEach((action) => model.apply(action));
    expect(model.snapshot().rollout.stable).toBe(hash(image));
    expect(revise(model)).toEqual([]);
  });

  test('complete changes it in one write, and back again', () => {
    const model = historyOf(['web:1', 'web:2']);
    for (const [image, held] of [
      ['web:2', undefined],
      ['web:1', undefined],
      ['web:2', { hash: hash('web:1'), n: 2 }],
    ] as const) {
      const actions = model.snapshot().complete(hash(image), held);
      expect(actions).toHaveLength(1);
      actions.forEach((action) => model.apply(action));
      expect(model.snapshot().rollout).toMatchObject({ stable: hash(image), retained: held });
      expect(model.snapshot().complete(hash(image), held)).toEqual([]);
    }
    model
      .snapshot()
      .complete(hash('web:2'), undefined)
      .forEach((action) => model.apply(action));
    expect(model.snapshot().rollout).toMatchObject({ stable: hash('web:2'), retained: undefined });
  });
});
