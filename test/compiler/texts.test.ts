import { describe, expect, test } from 'vitest';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';

const clean = cloneSet();
const probe = (container: string): string => cloneSet({ container });
const claims = (storage: string): string =>
  cloneSet({
    spec: `  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${storage}}}}}`,
  });

/** All errors and warnings of a manifest, as `CODE message → help`; not the hint about probes. */
async function textsOf(files: Record<string, string | Uint8Array>): Promise<string[]> {
  const { all } = await diagnosticsOf(files, { args: ['validate', 'head'] });
  return all
    .filter(({ code }) => code !== 'KR2135')
    .map(({ code, message, help = '' }) => `${code} ${message} → ${help}`);
}

const object = (kind: string, group = 'apps.kruise.io'): string =>
  clean.replace('apps.kruise.io', group).replace('CloneSet', kind);

describe('a mistake has one text, which is true and names a way out', () => {
  test.each<[string, string, RegExp[]]>([
    [
      'no such kind',
      object('Workload'),
      [/^KR1024 .* no kind 'Workload' → its kinds are AdvancedCronJob, .*CloneSet/],
    ],
    ['a kind like one', object('Cloneset'), [/^KR1024 .* → did you mean 'CloneSet'\?$/]],
    [
      'no such policy',
      object('PodBudget', 'policy.kruise.io'),
      [/^KR1024 policy\.kruise\.io .* PodUnavailableBudget$/],
    ],
    [
      'a policy among workloads',
      object('PodUnavailableBudget'),
      [/→ write apiVersion: policy\.kruise\.io\/v1alpha1$/],
    ],
    [
      'a workload among policies',
      object('CloneSet', 'policy.kruise.io'),
      [
        /^KR1023 this CloneSet has the apiVersion 'policy\.kruise\.io\/.*' → did you mean 'apps\.kruise\.io\//,
      ],
    ],
    ['a workload of later', object('EphemeralJob'), []],
    [
      'no anchor',
      clean.replace(/spec:\n[^]*/, 'spec: *x\n'),
      [/^KR1012 no anchor before it defines the alias '\*x' → /],
    ],
    [
      'a cycle',
      clean.replace('matchLabels: {', 'matchLabels: &x {a: *x, '),
      [/^KR1012 the alias '\*x' contains itself →/],
    ],
    [
      'a name that is a boolean',
      cloneSet({ name: 'y', selector: 'web' }).replace('{app: y}', '{app: web}'),
      [/^KR1006 /],
    ],
    [
      'a name that is a number',
      clean.replace('name: web', 'name: 5'),
      [/^KR1018 the metadata\.name .* is not text → .* quotes$/],
    ],
    ['an image with a space', cloneSet({ image: 'nginx 1.25' }), [/^KR2207 /]],
    ['an image that ends early', cloneSet({ image: '"nginx:"' }), [/^KR2207 /]],
    ['an encrypted image', cloneSet({ image: 'ENC[abc]' }), [/^KR2107 /]],
    [
      'a pod without a spec',
      clean.replace(/ {4}spec:\n[^]*/, '    spec:\n'),
      [/^KR2004 spec\.template\.spec .* 'containers'/],
    ],
    [
      'a pod with an empty one',
      clean.replace(/ {4}spec:\n[^]*/, '    spec: {}\n'),
      [/^KR2004 spec\.template\.spec .* 'containers'/],
    ],
    ['a size with a unit', claims('1GB'), [/^KR2146 .* → did you mean '1G'\?$/]],
    ['a size of nothing', claims('0B'), [/^KR2146 .* → set what a PersistentVolumeClaim needs/]],
    [
      'the begin of a value',
      cloneSet({ type: 'InPlace' }),
      [/^KR2003 .* → did you mean 'InPlaceIfPossible' or 'InPlaceOnly'\?$/],
    ],
    [
      'a probe without a handler',
      probe('        livenessProbe: {periodSeconds: 5}'),
      [/^KR2201 .* type: exec, httpGet, tcpSocket or grpc →/],
    ],
    [
      'a hook without one',
      probe('        lifecycle: {preStop: {}}'),
      [/^KR2201 .* type: exec, httpGet, tcpSocket or sleep →/],
    ],
    [
      'two containers of one name',
      cloneSet({ pod: '      - {name: nginx, image: "a:1"}' }),
      [/^KR2124 .* named 'nginx': the other is spec\.template\.spec\.containers\[0\] →/],
    ],
    [
      'two variables of one name',
      probe('        env: [{name: A, value: "1"}, {name: B}, {name: A, value: "2"}]'),
      [
        /^KR2205 .*\.env\[2\]: hides .*; the previous one is spec\.template\.spec\.containers\[0\]\.env\[0\] →/,
      ],
    ],
  ])('%s', async (_, manifest, expected) => {
    const texts = await textsOf({ 'head/web.yaml': manifest });
    expect(texts).toEqual(expected.map((text) => expect.stringMatching(text) as string));
  });

  test('a file that is no text may be ignored', async () => {
    const [text] = await textsOf({ 'head/web.yaml': clean, 'head/logo.yaml': new Uint8Array([0xff, 0xfe]) });
    expect(text).toMatch(/^KR1002 .* → .* list it under ignore in kruise\.yaml$/);
  });

  test('a wait without a unit', async () => {
    const rule = '{match: {}, batches: [{to: 50%}, {to: 100%}], between: {soak: 10}, timeout: 60}';
    const texts = await textsOf({ 'head/web.yaml': clean, 'head/kruise.yaml': `steps: [${rule}]\n` });
    expect(texts).toEqual([
      expect.stringMatching(/soak must be a duration such as 10m or 1h30m, found the number 10/),
      expect.stringMatching(/timeout must be a duration such as 10m or 1h30m, found the number 60/),
    ]);
  });
});
