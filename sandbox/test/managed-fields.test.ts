import { describe, expect, test } from 'vitest';
import { bench, ownersOf, spec, type Bench, type Owners } from './gadgets.ts';

describe('who owns what after plain writes', () => {
  const cases: [string, (bench: Bench) => void, Owners][] = [
    [
      'the creator owns all there is, what comes with it and defaults included',
      (b) => b.create('m1', { metadata: { labels: { x: '1' } }, spec: { labels: { a: '1' } } }),
      {
        'm1 Update': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
          'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} }, 'f:text': {} },
        },
      },
    ],
    [
      'who changes a field takes it',
      (b) => {
        b.create('m1', { spec: { text: 'x', replicas: 1 } });
        b.merge('m2', { spec: { text: 'y' } });
      },
      {
        'm1 Update': spec({ '.': {}, 'f:replicas': {} }),
        'm2 Update': spec({ 'f:text': {} }),
      },
    ],
    [
      'who writes what is there already takes nothing',
      (b) => {
        b.create('m1', { spec: { text: 'x' } });
        b.put('m2', { spec: { text: 'x' } });
      },
      { 'm1 Update': spec({ '.': {}, 'f:text': {} }) },
    ],
    [
      'what is removed is nobody’s',
      (b) => {
        b.create('m1', { spec: { replicas: 1, labels: { a: '1', b: '2' } } });
        b.merge('m2', { spec: { replicas: null, labels: { a: null } } });
      },
      { 'm1 Update': spec({ '.': {}, 'f:labels': { '.': {}, 'f:b': {} }, 'f:text': {} }) },
    ],
    [
      'who loses all is forgotten',
      (b) => {
        b.create('m1', { spec: { text: 'x' } });
        b.merge('m2', { spec: { replicas: 1 } });
        b.merge('m3', { spec: { replicas: 2 } });
      },
      {
        'm1 Update': spec({ '.': {}, 'f:text': {} }),
        'm3 Update': spec({ 'f:replicas': {} }),
      },
    ],
    [
      'items of a set and of a list with keys have owners of their own',
      (b) => {
        b.create('m1', { spec: { set: ['a'], named: [{ name: 'a', value: '1' }] } });
        b.merge('m2', { spec: { set: ['a', 'b'], named: [{ name: 'a', value: '2' }, { name: 'b' }] } });
      },
      {
        'm1 Update': spec({
          '.': {},
          'f:named': { '.': {}, 'k:{"name":"a"}': { '.': {}, 'f:name': {} } },
          'f:set': { '.': {}, 'v:"a"': {} },
          'f:text': {},
        }),
        'm2 Update': spec({
          'f:named': { 'k:{"name":"a"}': { 'f:value': {} }, 'k:{"name":"b"}': { '.': {}, 'f:name': {} } },
          'f:set': { 'v:"b"': {} },
        }),
      },
    ],
    [
      'atomic lists and maps have one owner',
      (b) => {
        b.create('m1', { spec: { atoms: ['a'], whole: { a: '1' } } });
        b.merge('m2', { spec: { atoms: ['a', 'b'], whole: { b: '1' } } });
      },
      {
        'm1 Update': spec({ '.': {}, 'f:text': {} }),
        'm2 Update': spec({ 'f:atoms': {}, 'f:whole': {} }),
      },
    ],
    [
      'status has entries of its own, and a write of the rest owns nothing of it',
      (b) => {
        b.create('m1', { spec: { text: 'x' }, status: { note: 'never' } });
        b.merge('m1', { status: { note: 'x' }, spec: { text: 'never' } }, { subresource: 'status' });
      },
      {
        'm1 Update': spec({ '.': {}, 'f:text': {} }),
        'm1 Update status': { 'f:status': { '.': {}, 'f:note': {} } },
      },
    ],
    [
      'scale takes the replicas',
      (b) => {
        b.create('m1', { spec: { replicas: 1 } });
        b.merge('m2', { spec: { replicas: 2 } }, { subresource: 'scale' });
      },
      {
        'm2 Update scale': spec({ 'f:replicas': {} }),
        'm1 Update': spec({ '.': {}, 'f:text': {} }),
      },
    ],
    [
      'scale owns nothing where nobody owned the replicas',
      (b) => {
        b.create('m1', { spec: {} });
        b.merge('m2', { spec: { replicas: 2 } }, { subresource: 'scale' });
      },
      { 'm1 Update': spec({ '.': {}, 'f:text': {} }) },
    ],
    [
      'an object that nobody owns stays so',
      (b) => {
        b.create('m1', { spec: { text: 'x' } });
        b.merge('m1', { metadata: { managedFields: [{}] } });
        b.merge('m2', { spec: { text: 'y' } });
      },
      {},
    ],
    [
      'no entries at all take nobody’s fields',
      (b) => {
        b.create('m1', { spec: { text: 'x' } });
        b.merge('m2', { metadata: { managedFields: [] } });
        b.merge('m2', { metadata: { managedFields: null } });
      },
      { 'm1 Update': spec({ '.': {}, 'f:text': {} }) },
    ],
    [
      'entries that are well-formed count instead of those there are',
      (b) => {
        b.create('m1', { spec: { text: 'x' } });
        const entry = {
          manager: 'q',
          operation: 'Apply',
          apiVersion: 'test.example/v1',
          fieldsType: 'FieldsV1',
        };
        b.merge('m2', {
          metadata: { managedFields: [{ ...entry, fieldsV1: { 'f:spec': { 'f:text': {} } } }] },
        });
      },
      { 'q Apply': spec({ 'f:text': {} }) },
    ],
    ...(['operation', 'fieldsType', 'apiVersion', 'fieldsV1'] as const).map(
      (broken): [string, (bench: Bench) => void, Owners] => [
        `entries with a wrong ${broken} do not`,
        (b) => {
          b.create('m1', { spec: { text: 'x' } });
          const entry = {
            manager: 'q',
            operation: 'Update',
            apiVersion: 'test.example/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': {} },
          };
          const wrong = {
            operation: 'Nope',
            fieldsType: 'FieldsV2',
            apiVersion: '',
            fieldsV1: { 'k:{': {} },
          };
          b.merge('m2', { metadata: { managedFields: [{ ...entry, [broken]: wrong[broken] }] } });
        },
        { 'm1 Update': spec({ '.': {}, 'f:text': {} }) },
      ],
    ),
    [
      'a manager of a version that is not served is forgotten at the next change',
      (b) => {
        b.create('m1', { spec: { text: 'x' } });
        const entry = {
          manager: 'q',
          operation: 'Update',
          apiVersion: 'test.example/v9',
          fieldsType: 'FieldsV1',
        };
        b.merge('m2', {
          metadata: { managedFields: [{ ...entry, fieldsV1: { 'f:spec': { 'f:deep': {} } } }] },
        });
        b.merge('m2', { spec: { text: 'y' } });
      },
      { 'm2 Update': spec({ 'f:text': {} }) },
    ],
  ];
  test.each(cases)('%s', (_what, act, owners) => {
    const it = bench();
    act(it);
    expect(ownersOf(it.get())).toEqual(owners);
  });

  test('of a built-in kind, always-serialized fields have no owner', () => {
    const it = bench('Deployment');
    const made = it.create('m1', {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'main', image: 'web:1' }] },
        },
      },
    });
    expect(ownersOf(made)['m1 Update']).toMatchObject({
      'f:spec': {
        'f:selector': {},
        'f:template': { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
      },
    });
    const fields = JSON.stringify(ownersOf(made));
    expect(fields).not.toContain('"f:spec":{".":{}');
    expect(fields).not.toContain('"f:containers":{".":{}');
    expect(fields).toContain('"k:{\\"name\\":\\"main\\"}":{".":{}');
  });

  test('metadata of the server has no owner', () => {
    const it = bench();
    const made = it.create('m1', { metadata: { generateName: 'x', finalizers: ['a.b/c'] }, spec: {} });
    expect(ownersOf(made)['m1 Update']).toMatchObject({
      'f:metadata': { 'f:generateName': {}, 'f:finalizers': { '.': {}, 'v:"a.b/c"': {} } },
    });
    expect(Object.keys((ownersOf(made)['m1 Update'] as { 'f:metadata': object })['f:metadata'])).toEqual([
      'f:finalizers',
      'f:generateName',
    ]);
  });
});
