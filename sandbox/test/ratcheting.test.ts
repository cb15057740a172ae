import { describe, expect, test } from 'vitest';
import { definitions, refusal, type Stage } from './world.ts';
import { at, definition, faults, gizmo, gizmos, gizmoStage, text } from './gizmos.ts';

describe('an update does not report errors in unchanged fields', () => {
  const before = {
    int: { type: 'integer' },
    set: { type: 'array', items: text },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: text, v: { type: 'integer' } } },
    },
    color: text,
    note: text,
  };
  const after = {
    ...before,
    int: { type: 'integer', maximum: 10 },
    set: { type: 'array', items: { type: 'string', maxLength: 0 }, 'x-kubernetes-list-type': 'set' },
    map: { type: 'object', additionalProperties: { type: 'integer', maximum: 1 } },
    list: {
      ...before.list,
      items: { ...before.list.items, properties: { k: text, v: { type: 'integer', minimum: 5 } } },
    },
    color: { type: 'string', enum: ['red'] },
  };
  const stored = {
    int: 100,
    set: ['x', 'x'],
    map: { k: 5 },
    list: [
      { k: 'a', v: 1 },
      { k: 'b', v: 1 },
    ],
    color: 'green',
  };

  async function tightened(then: Record<string, object> = after): Promise<Stage> {
    const set = gizmoStage(before);
    await set.alice.create(gizmos, gizmo(stored));
    const name = 'gizmos.test.example';
    const { resourceVersion } = (await set.alice.get(definitions, { name })).metadata;
    const next = definition(then);
    await set.alice.replace(definitions, {
      ...next,
      metadata: { name, resourceVersion: resourceVersion ?? '' },
    });
    return set;
  }

  const changes: [string, object, string | undefined][] = [
    ['labels', { metadata: { labels: { a: 'b' } } }, undefined],
    ['another field', { spec: { note: 'x' } }, undefined],
    ['the order of a map list', { spec: { list: [stored.list[1], stored.list[0]] } }, undefined],
    ['fewer items of a map list', { spec: { list: [stored.list[0]] } }, undefined],
    ['the bad field itself', { spec: { int: 101 } }, 'spec.int: Invalid value: 101'],
    ['another enum value', { spec: { color: 'blue' } }, 'spec.color: Unsupported value: "blue"'],
    ['a new key of a map', { spec: { map: { k2: 7 } } }, 'spec.map.k2: Invalid value: 7'],
    [
      'an item of a map list',
      { spec: { list: [{ k: 'b', v: 2 }, stored.list[0]] } },
      'spec.list[0].v: Invalid value: 2: spec.list[0].v in body should be greater than or equal to 5',
    ],
    [
      'a list that is no map, as a whole but for its repetitions',
      { spec: { set: ['x', 'x', 'y'] } },
      '[spec.set[0]: Too long: may not be more than 0 bytes, spec.set[1]: Too long: may not be more than 0 bytes, spec.set[2]: Too long: may not be more than 0 bytes]',
    ],
  ];
  test.each(changes)('when it changes %s', async (_what, body, message) => {
    const { alice } = await tightened();
    const call = alice.patch(gizmos, at, { type: 'merge', body: body as never });
    if (message === undefined) await call;
    else expect(faults(await refusal(call)).startsWith(message)).toBe(true);
  });

  test('except for anyOf and similar keywords', async () => {
    const { alice } = await tightened({ ...before, color: { type: 'string', anyOf: [{ enum: ['red'] }] } });
    const call = alice.patch(gizmos, at, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    expect(faults(await refusal(call))).toContain('"spec.color" must validate at least one schema (anyOf)');
  });
});

describe('transition rules', () => {
  const fixed = {
    keep: {
      type: 'object',
      properties: { a: text, b: text },
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'keep is immutable' }],
    },
    part: {
      type: 'object',
      properties: { a: text, b: text },
      'x-kubernetes-validations': [{ rule: 'self.a == oldSelf.a' }],
    },
    int: { type: 'integer' },
  };
  const patched = async (body: object) => {
    const { alice } = gizmoStage(fixed);
    await alice.create(gizmos, gizmo({ keep: { a: '1' }, part: { a: '1', b: '1' }, int: 1 }));
    return alice.patch(gizmos, at, { type: 'merge', body: { spec: body as never } });
  };

  test('let a field be created and left unchanged', async () => {
    expect(await patched({ int: 2, part: { b: '2' } })).toMatchObject({ spec: { part: { a: '1', b: '2' } } });
  });

  const changes: [object, string][] = [
    [{ keep: { a: '2' } }, 'spec.keep: Invalid value: keep is immutable'],
    [{ keep: { b: '2' } }, 'spec.keep: Invalid value: keep is immutable'],
    [{ part: { a: '2' } }, 'spec.part: Invalid value: failed rule: self.a == oldSelf.a'],
    [
      { keep: { a: '2' }, int: 'x' },
      '[spec.int: Invalid value: "string": spec.int in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ],
  ];
  test.each(changes)('refuse %j', async (body, message) => {
    expect(faults(await refusal(patched(body)))).toBe(message);
  });
});
