import { describe, expect, test } from 'vitest';
import { kruise } from '../compiler/world/manifests.ts';

const VALUE = 'hunter2';

/** A ResourceDistribution of a Secret with these lines as its content. */
const distribution = (...lines: string[]): string =>
  [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: ResourceDistribution',
    'metadata: {name: shared}',
    'spec:',
    '  resource:',
    '    apiVersion: v1',
    '    kind: Secret',
    '    metadata: {name: token}',
    ...lines.map((line) => `    ${line}`),
    '  targets: {allNamespaces: true}',
    '',
  ].join('\n');

const secret = (...lines: string[]): string =>
  ['apiVersion: v1', 'kind: Secret', 'metadata: {name: token}', ...lines, ''].join('\n');

const json = (content: object): string =>
  JSON.stringify({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'shared' },
    spec: {
      resource: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, ...content },
      targets: { allNamespaces: true },
    },
  });

describe('security: no value of a Secret is printed', () => {
  test.each<[what: string, text: string, code: string]>([
    ['plain text in data', distribution('data:', '  password: hunter2!'), 'KR2005'],
    ['a number in stringData', distribution('stringData:', '  pin: 1234', '  password: hunter2'), 'KR2005'],
    ['in one line', distribution('data: {a: YQ==, pin: 1234, password: hunter2}'), 'KR2005'],
    ['in JSON', json({ data: { pin: 1234, password: VALUE } }), 'KR2005'],
    ['a list as data', distribution('data: [hunter2]'), 'KR2005'],
    ['text as data', distribution('data: hunter2'), 'KR2005'],
    ['a tag', distribution('stringData:', '  password: !hunter2 a'), 'KR1013'],
    ['an alias', distribution('stringData:', '  password: *hunter2'), 'KR1012'],
    ['no YAML', distribution('stringData:', '  password: "hunter2" hunter2'), 'KR1004'],
    ['no YAML, in a Secret', secret('stringData:', '  password: "hunter2" hunter2'), 'KR1026'],
    ['a quote that is open', distribution('stringData:', '  password: "hunter2'), 'KR1004'],
  ])('%s', async (_what, text, code) => {
    const files = { 'head/rd.yaml': text };
    for (const format of [[], ['-o', 'json']]) {
      const { host } = await kruise(files, { args: ['validate', 'head', ...format] });
      expect(host.out + host.err).toContain(code);
      expect(host.out + host.err).not.toContain(VALUE);
    }
  });

  test.each([
    ['a number of YAML 1.1', 'pin: 1_234', '1_234'],
    ['an octal number', 'pin: 04321', '2257'],
    ['a number that is too large', 'pin: 99999999999999999999', '99999999999999999999'],
  ])('%s', async (_what, line, value) => {
    const { host } = await kruise(
      { 'head/rd.yaml': distribution('stringData:', `  ${line}`) },
      { args: ['validate', 'head'] },
    );
    expect(host.out + host.err).toMatch(/KR10\d\d/);
    expect(host.out + host.err).not.toContain(value);
  });
});
