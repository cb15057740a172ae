import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PrinterColumn, Served } from '../api/registry.ts';
import { builtInTypes } from '../kinds/builtIn.ts';
import { humanDuration } from '../table/duration.ts';
import { tableOf, type TableOptions } from '../table/table.ts';
import { readRows } from './rows.ts';

const now = Date.parse('2026-11-21T22:00:00Z');

/** An object created ten minutes ago. */
function objectOf(name: string, body: object): KubeObject {
  const { metadata, ...rest } = body as { metadata?: object };
  return {
    apiVersion: 'v1',
    kind: 'Any',
    ...rest,
    metadata: { name, creationTimestamp: '2026-11-21T21:50:00Z', ...metadata },
  };
}

interface Table {
  kind: string;
  apiVersion: string;
  metadata: object;
  columnDefinitions:
    | { name: string; type: string; format: string; description: string; priority: number }[]
    | null;
  rows: { cells: unknown[]; conditions?: object[]; object: unknown }[] | null;
}

const types = new Map(builtInTypes().map((type) => [type.id, type]));

function builtIn(id: string): Served {
  const type = types.get(id);
  const version = type?.versions.get(type.storageVersion);
  if (type === undefined || version === undefined) throw new Error(`${id} is not served`);
  return { type, version };
}

function custom(columns?: readonly PrinterColumn[]): Served {
  const { type } = builtIn('configmaps');
  const version = { version: 'v1', hasStatus: false, ...(columns === undefined ? {} : { columns }) };
  return { type: { ...type, id: 'gadgets.example.com', custom: true }, version };
}

const whole: TableOptions = { includeObject: 'None', version: 'v1', headers: true };

function table(
  served: Served,
  bodies: readonly object[],
  options: Partial<TableOptions> = {},
  metadata?: object,
): Table {
  const items = bodies.map((body, index) => objectOf(`o${index}`, body));
  const list = metadata === undefined ? { items } : { items, metadata };
  return tableOf({ now: () => now }, served, list, { ...whole, ...options }) as Table;
}

function cellsOf(served: Served, name: string, body: object): string {
  const made = tableOf({ now: () => now }, served, { items: [objectOf(name, body)] }, whole) as Table;
  return (made.rows?.[0]?.cells ?? []).map(String).join(' | ');
}

/** Resource, name, further fields, and the cells. */
type Row = [id: string, name: string, body: object, cells: string];

test.each(readRows<Row>('tables'))('the cells of %s %s', (id, name, body, cells) => {
  expect(cellsOf(builtIn(id), name, body)).toBe(cells);
});

describe('columns', () => {
  test('every built-in kind that is served has a table, and its rows fill it', () => {
    for (const { id } of types.values()) {
      const { columnDefinitions, rows } = table(builtIn(id), [{}]);
      expect(rows?.[0]?.cells).toHaveLength(columnDefinitions?.length ?? 0);
      expect(columnDefinitions?.some(({ format }) => format === 'name')).toBe(true);
    }
  });

  test.each([
    ['pods', 'Name Ready Status Restarts Age (IP) (Node) (Nominated Node) (Readiness Gates)'],
    ['deployments.apps', 'Name Ready Up-to-date Available Age (Containers) (Images) (Selector)'],
    ['events', 'Last Seen Type Reason Object (Subobject) (Source) Message (First Seen) (Count) (Name)'],
    [
      'nodes',
      'Name Status Roles Age Version (Internal-IP) (External-IP) (OS-Image) (Kernel-Version) (Container-Runtime)',
    ],
    ['roles.rbac.authorization.k8s.io', 'Name Created At'],
    ['leases.coordination.k8s.io', 'Name Holder Age'],
  ])('%s', (id, names) => {
    const shown = table(builtIn(id), []).columnDefinitions?.map(({ name, priority }) =>
      priority === 0 ? name : `(${name})`,
    );
    expect(shown?.join(' ')).toBe(names);
  });
});

describe('the table itself', () => {
  const served = builtIn('configmaps');

  test('a list carries its metadata, one object its resourceVersion', () => {
    const metadata = { resourceVersion: '7', continue: 'x', remainingItemCount: 3 };
    expect(table(served, [{}], {}, metadata).metadata).toEqual(metadata);
    expect(table(served, [{ metadata: { resourceVersion: '9' } }]).metadata).toEqual({
      resourceVersion: '9',
    });
  });

  test('what of each object stands in its row', () => {
    const body = { metadata: { uid: 'u' }, data: { a: 'b' } };
    const objectIn = (options: Partial<TableOptions>) => table(served, [body], options).rows?.[0]?.object;
    expect(objectIn({ includeObject: 'None' })).toBeNull();
    expect(objectIn({ includeObject: 'Metadata' })).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'o0', uid: 'u' },
    });
    expect(objectIn({ includeObject: 'Metadata' })).not.toHaveProperty('data');
    expect(objectIn({ includeObject: 'Metadata', version: 'v1beta1' })).toMatchObject({
      apiVersion: 'meta.k8s.io/v1beta1',
    });
    expect(objectIn({ includeObject: 'Object' })).toMatchObject({ data: { a: 'b' } });
  });

  test('without headers there are no column definitions', () => {
    expect(table(served, [{}], { headers: false }).columnDefinitions).toBeNull();
  });

  test('an empty list has no rows; of custom kinds there is no list of rows', () => {
    expect(table(served, []).rows).toEqual([]);
    expect(table(custom(), []).rows).toBeNull();
  });

  test('finished pods have a row condition', () => {
    const conditionsOf = (phase: string) =>
      table(builtIn('pods'), [{ status: { phase } }]).rows?.[0]?.conditions;
    expect(conditionsOf('Running')).toBeUndefined();
    expect(conditionsOf('Succeeded')).toEqual([
      {
        type: 'Completed',
        status: 'True',
        reason: 'Succeeded',
        message: 'The pod has completed successfully.',
      },
    ]);
    expect(conditionsOf('Failed')).toEqual([
      { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
    ]);
  });

  test('a scale has columns of its own', () => {
    const scale = { kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 2 } };
    const { columnDefinitions, rows } = table(custom([]), [scale]);
    expect(columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Desired', 'Available', 'Age']);
    expect(rows?.[0]?.cells).toEqual(['o0', 3, 2, '10m']);
  });

  test('the bookmark that ends the initial events has metadata alone', () => {
    const bookmark = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '5' } };
    const made = tableOf({ now: () => now }, served, { items: [bookmark as never] }, whole) as Table;
    expect(made.rows?.[0]?.cells).toEqual(['', 0, '<unknown>']);
  });
});

describe('columns of custom kinds', () => {
  const body = {
    metadata: { annotations: { 'a.b/c': 'noted' } },
    spec: {
      text: 'words',
      whole: 5,
      part: 2.75,
      tiny: 0.00001,
      yes: true,
      map: { x: 1, w: [1, '2'] },
      list: ['a', 'b', 'c'],
      items: [
        { name: 'first', size: 1 },
        { name: 'second', size: 2 },
        { name: 'third', size: 3, more: {} },
      ],
      when: '2026-11-20T20:00:00Z',
      later: '2027-11-20T20:00:00Z',
      nothing: null,
      empty: '',
    },
  };

  test.each<[string, string, unknown]>([
    ['string', '.spec.text', 'words'],
    ['string', '.spec.whole', '5'],
    ['string', '.spec.part', '2.75'],
    ['string', '.spec.tiny', '1e-05'],
    ['string', '.spec.yes', 'true'],
    ['string', '.spec.map', '{"w":[1,"2"],"x":1}'],
    ['string', '.spec.list', '["a","b","c"]'],
    ['string', '.spec.items[*].name', 'first'],
    ['string', '.spec.items[1].name', 'second'],
    ['string', '.spec.items[-1].name', 'third'],
    ['string', '.spec.items[9].name', null],
    ['string', '.spec.list[0:2]', 'a'],
    ['string', '.spec.list[1:]', 'b'],
    ['string', '.spec.items[?(@.name=="second")].size', '2'],
    ['string', '.spec.items[?(@.size>1)].name', 'second'],
    ['string', '.spec.items[?(@.size<=0)].name', null],
    ['string', '.spec.items[?(@.more)].name', 'third'],
    ['string', `.metadata.annotations['a\\.b/c']`, 'noted'],
    ['string', '.metadata.annotations.a\\.b/c', 'noted'],
    ['string', '.spec.missing', null],
    ['string', '.spec.nothing', null],
    ['string', '.spec.empty', ''],
    ['string', '..size', '1'],
    ['string', '.spec.items[', null],
    ['integer', '.spec.whole', 5],
    ['integer', '.spec.part', 2],
    ['integer', '.spec.text', null],
    ['number', '.spec.part', 2.75],
    ['number', '.spec.whole', 5],
    ['boolean', '.spec.yes', true],
    ['boolean', '.spec.text', null],
    ['date', '.spec.when', '26h'],
    ['date', '.spec.later', '<invalid>'],
    ['date', '.spec.text', '<invalid>'],
    ['date', '.spec.missing', null],
  ])('%s %s', (type, jsonPath, cell) => {
    expect(table(custom([{ name: 'C', type, jsonPath }]), [body]).rows?.[0]?.cells[1]).toEqual(cell);
  });

  test('definitions, and the age where there are none', () => {
    const { columnDefinitions } = table(
      custom([
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        {
          name: 'Note',
          type: 'string',
          jsonPath: '.note',
          priority: 1,
          format: 'byte',
          description: 'What is noted.',
        },
      ]),
      [],
    );
    expect(columnDefinitions?.slice(1)).toEqual([
      {
        name: 'Size',
        type: 'integer',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .spec.size',
        priority: 0,
      },
      { name: 'Note', type: 'string', format: 'byte', description: 'What is noted.', priority: 1 },
    ]);
    const plain = table(custom(), [{}]);
    expect(plain.columnDefinitions?.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'Name string',
      'Age date',
    ]);
    expect(plain.rows?.[0]?.cells).toEqual(['o0', '10m']);
  });
});

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

test.each([
  [-2, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [119, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5, '2m5s'],
  [10 * minute - 1, '9m59s'],
  [10 * minute + 30, '10m'],
  [3 * hour - 1, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 10 * minute, '3h10m'],
  [8 * hour + 10 * minute, '8h'],
  [48 * hour - 1, '47h'],
  [48 * hour, '2d'],
  [2 * day + 5 * hour, '2d5h'],
  [8 * day + 5 * hour, '8d'],
  [2 * year - 1, '729d'],
  [2 * year + 3 * day, '2y3d'],
  [8 * year + 3 * day, '8y'],
])('%i seconds are %s', (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});
