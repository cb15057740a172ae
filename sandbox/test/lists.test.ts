import { describe, expect, test } from 'vitest';
import type { Cluster, ListOptions } from '../../schemas/wire/cluster.ts';
import { configMap, configMaps, refusal, stage } from './world.ts';

/** A world with the ConfigMaps a to e, created in consecutive revisions, and the revision of the last. */
async function five() {
  const set = stage({ nodes: 0 });
  let latest = 0;
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const made = await set.alice.create(configMaps, configMap(name, { labels: { on: name } }));
    latest = Number(made.metadata.resourceVersion);
  }
  return { ...set, latest };
}

async function shown(alice: Cluster, options: ListOptions) {
  const { items, metadata } = await alice.list(configMaps, { namespace: 'default', ...options });
  return {
    names: items.map((item) => item.metadata.name).join(''),
    at: Number(metadata.resourceVersion),
    more: metadata.continue !== undefined,
    left: metadata.remainingItemCount,
  };
}

function token(fields: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

describe('resourceVersion of a list', () => {
  /** Revisions relative to the last creation: 0 is after it, -2 before the last two. */
  const rows: [what: string, back: number | undefined, options: ListOptions, names: string, shows: number][] =
    [
      ['unset: what is there', undefined, {}, 'abcde', 0],
      ['unset with a limit', undefined, { limit: 2 }, 'ab', 0],
      ['"0": anything, and no limit', undefined, { resourceVersion: '0', limit: 2 }, 'abcde', 0],
      ['an old one: nothing older', -2, {}, 'abcde', 0],
      ['an old one with a limit: that very state', -2, { limit: 2 }, 'ab', -2],
      ['NotOlderThan', -2, { resourceVersionMatch: 'NotOlderThan' }, 'abcde', 0],
      ['NotOlderThan with a limit', -2, { resourceVersionMatch: 'NotOlderThan', limit: 2 }, 'ab', 0],
      ['Exact', -2, { resourceVersionMatch: 'Exact' }, 'abc', -2],
      ['Exact with a limit', -2, { resourceVersionMatch: 'Exact', limit: 1 }, 'a', -2],
      ['Exact now', 0, { resourceVersionMatch: 'Exact' }, 'abcde', 0],
    ];
  test.each(rows)('%s', async (_what, back, options, names, shows) => {
    const { alice, latest } = await five();
    const resourceVersion = back === undefined ? options.resourceVersion : String(latest + back);
    const list = await shown(alice, {
      ...options,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    });
    expect(list).toMatchObject({ names, at: latest + shows });
  });

  test.each(['Exact', 'NotOlderThan', undefined] as const)(
    'one that is yet to come, %s: 504 with what to wait for',
    async (match) => {
      const { alice, latest } = await five();
      const status = await refusal(
        alice.list(configMaps, {
          resourceVersion: '99999',
          ...(match === undefined ? {} : { resourceVersionMatch: match }),
        }),
      );
      expect(status).toMatchObject({
        code: 504,
        reason: 'Timeout',
        message: `Timeout: Too large resource version: 99999, current: ${latest}`,
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
      });
    },
  );

  test.each([
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
  ])('%j is none', async (resourceVersion, why) => {
    expect(await refusal(stage().alice.list(configMaps, { resourceVersion }))).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: `invalid resource version: resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": ${why}`,
    });
  });

  test('Exact after compaction returns 410', async () => {
    const { alice, world, latest } = await five();
    world.compact(configMaps);
    const old = { resourceVersion: String(latest - 2), resourceVersionMatch: 'Exact' } as const;
    expect(await refusal(alice.list(configMaps, old))).toEqual({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });
});

describe('pages of a list', () => {
  test('report the remaining count, except with selectors', async () => {
    const { alice } = await five();
    expect(await shown(alice, { limit: 2 })).toMatchObject({ more: true, left: 3 });
    expect(await shown(alice, { limit: 2, labelSelector: 'on' })).toMatchObject({
      more: true,
      left: undefined,
    });
    expect(await shown(alice, { limit: 5 })).toMatchObject({ more: false, left: undefined });
    expect(await shown(alice, { limit: -1 })).toMatchObject({ names: 'abcde', more: false });
  });

  test('with one namespace and with all go on behind the last name', async () => {
    const { alice } = await five();
    for (const namespace of ['default', '']) {
      const names: string[] = [];
      let next = '';
      do {
        const { items, metadata } = await alice.list(configMaps, { namespace, limit: 2, continue: next });
        names.push(...items.map((item) => item.metadata.name));
        next = metadata.continue ?? '';
      } while (next !== '');
      expect(names.join('')).toBe('abcde');
    }
  });

  test('that expired return a token for the current state', async () => {
    const { alice, world } = await five();
    const first = await alice.list(configMaps, { limit: 2 });
    await alice.create(configMaps, configMap('bb'));
    world.compact(configMaps);
    const status = await refusal(
      alice.list(configMaps, { limit: 2, continue: first.metadata.continue ?? '' }),
    );
    expect(status).toMatchObject({ code: 410, reason: 'Expired' });
    expect(status.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result/,
    );
    const rest = await shown(alice, { namespace: '', limit: 2, continue: status.continue ?? '' });
    expect(rest).toMatchObject({ names: 'bbc', more: true, left: 2 });
  });

  const version = 'meta.k8s.io/v1';
  const bad: [string, string, number, string][] = [
    ['no token', 'abc', 400, "invalid character 'i' looking for beginning of value"],
    [
      'another version',
      token({ v: 'x', rv: 1, start: 'a' }),
      400,
      'server does not recognize this encoded version x',
    ],
    [
      'no revision',
      token({ v: version, rv: 0, start: 'a' }),
      400,
      `incorrect encoded start resourceVersion (version ${version})`,
    ],
    ['no key', token({ v: version, rv: 1, start: '' }), 400, `encoded start key empty (version ${version})`],
    ['a path', token({ v: version, rv: 1, start: '/../x' }), 400, '/../x'],
    [
      'a wrong type',
      token({ v: version, rv: 'a', start: 'b' }),
      400,
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
  ];
  test.each(bad)('refuse %s', async (_what, next, code, message) => {
    expect(await refusal(stage().alice.list(configMaps, { continue: next }))).toEqual({
      code,
      reason: 'BadRequest',
      message: `invalid continue token: continue key is not valid: ${message}`,
    });
  });

  test('know no other resourceVersion', async () => {
    const { alice, latest } = await five();
    const { metadata } = await alice.list(configMaps, { limit: 2 });
    const both = { continue: metadata.continue ?? '', resourceVersion: String(latest) };
    expect((await refusal(alice.list(configMaps, both))).message).toBe(
      'specifying resource version is not allowed when using continue',
    );
  });
});

describe('selectors that do not parse', () => {
  const valueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const labels: [string, string][] = [
    ['x in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['x=b!c', "found '!', expected: ',' or 'end of string'"],
    ['x,,y', "found ',', expected: identifier after ','"],
    ['x=a,', "found '', expected: identifier after ','"],
    ['(x)', "found '(', expected: !, identifier, or 'end of string'"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['x a', "unable to parse requirement: found 'a', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['x!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'x>1a',
      `unable to parse requirement: values[0]: Invalid value: "1a": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['x==-a', `unable to parse requirement: values[0][x]: Invalid value: "-a": ${valueRule}`],
    ['x in (-a)', `unable to parse requirement: values[0][x]: Invalid value: "-a": ${valueRule}`],
  ];
  test.each(labels)('labels %j', async (labelSelector, message) => {
    expect(await refusal(stage().alice.list(configMaps, { labelSelector }))).toEqual({
      code: 400,
      reason: 'BadRequest',
      message,
    });
  });

  const fine: [string, string][] = [
    ['on in ()', ''],
    ['on notin ()', 'abcde'],
    ['on=', ''],
    ['on in (a,b),on', 'ab'],
    ['on,!off,on!=c', 'abde'],
    ['on in (a,,b)', 'ab'],
    ['in in (a)', ''],
  ];
  test.each(fine)('labels %j select %j', async (labelSelector, names) => {
    const { alice } = await five();
    expect((await shown(alice, { labelSelector })).names).toBe(names);
  });

  const fields: [string, string][] = [
    ['metadata.name=a,', 'a'],
    ['metadata.name==a', 'a'],
    ['metadata.name=a\\,b', ''],
    ['metadata.name!=a', 'bcde'],
  ];
  test.each(fields)('fields %j select %j', async (fieldSelector, names) => {
    const { alice } = await five();
    expect((await shown(alice, { fieldSelector })).names).toBe(names);
  });

  test.each([
    ['foo', "invalid selector: 'foo'; can't understand 'foo'"],
    [
      'metadata.name in (a)',
      "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'",
    ],
  ])('fields %j', async (fieldSelector, message) => {
    expect((await refusal(stage().alice.list(configMaps, { fieldSelector }))).message).toBe(message);
  });
});
