import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { goSidecar } from '../../../semantics/sidecarset/go-fields.ts';
import { hashesOf, setHashes } from '../../../semantics/sidecarset/hash.ts';

const container = { name: 'container1', image: 'test-image' };
const native = { ...container, restartPolicy: 'Always' };

describe('the hashes are those of OpenKruise (SS-55)', () => {
  test.each<[what: string, spec: JsonObject, hash: string, imageless: string]>([
    [
      'containers',
      { containers: [container] },
      'w26c4x8fz245642fdv499b464248f974xddx4x55z5dw55bc6x66464fxz77dc78',
      '8wzddb4dvv9c6x8zdc77z4z75987424f457dfv6724ddw6zbdx467wz5x24fc759',
    ],
    [
      'a native sidecar beside them',
      { containers: [container], initContainers: [native] },
      '4xwx4d4844vd4v9x79wb4xbxf4xb29475cc4446v8cz2c2f2f5c5bw448vd42z8w',
      '5725fw8bwbx249bw57v5892c847dzf48bww9zb7c86xb95264fdz26654847b2c8',
    ],
  ])('%s', (_what, spec, hash, imageless) => {
    expect(hashesOf(spec)).toEqual({ hash, imageless });
  });
});

test('an image changes the hash, and not the one without images (SS-24)', () => {
  const [before, after] = [container, { ...container, image: 'other' }].map((each) =>
    setHashes({ containers: [each] }),
  );
  expect(after?.hash).not.toBe(before?.hash);
  // The pull policy follows from the image: the tag is absent in both.
  expect(after?.imageless).toBe(before?.imageless);
});

test('a plain init container is in neither hash (SS-25)', () => {
  const spec = { containers: [container] };
  expect(setHashes({ ...spec, initContainers: [{ ...container, image: 'b' }] })).toEqual(setHashes(spec));
});

test('a set with plain init containers alone has always the same hashes', () => {
  expect(setHashes({ initContainers: [container] })).toEqual(hashesOf({}));
});

test('a spec and the spec with its defaults have the same hashes', () => {
  const spec = { containers: [{ ...container, livenessProbe: { httpGet: { port: 80 } } }] };
  const whole = {
    containers: [
      {
        ...container,
        imagePullPolicy: 'Always',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        livenessProbe: {
          httpGet: { port: 80, path: '/', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        podInjectPolicy: 'BeforeAppContainer',
        upgradeStrategy: { upgradeType: 'ColdUpgrade' },
        shareVolumePolicy: { type: 'disabled' },
      },
    ],
  };
  expect(setHashes(spec)).toEqual(setHashes(whole));
  expect(setHashes(whole)).toEqual(hashesOf(whole));
});

test('a startup probe has no defaults of OpenKruise', () => {
  const probed = { ...container, startupProbe: { tcpSocket: { port: 1 } } };
  const whole = { ...probed, startupProbe: { tcpSocket: { port: 1 }, periodSeconds: 10 } };
  expect(setHashes({ containers: [probed] })).not.toEqual(setHashes({ containers: [whole] }));
});

describe('the text of a container', () => {
  test.each<[what: string, container: JsonObject, text: string]>([
    [
      'fields in the order of Go, empty ones left out',
      { tty: false, stdin: true, image: 'b', args: [], env: [{ value: '', name: 'A' }], name: 'a' },
      '{"name":"a","image":"b","env":[{"name":"A"}],"resources":{},"stdin":true,"upgradeStrategy":{},"shareVolumePolicy":{}}',
    ],
    [
      'pointers keep false and zero',
      { name: 'a', securityContext: { runAsUser: 0, privileged: false, capabilities: { drop: ['ALL'] } } },
      '{"name":"a","resources":{},"securityContext":{"capabilities":{"drop":["ALL"]},"privileged":false,"runAsUser":0},"upgradeStrategy":{},"shareVolumePolicy":{}}',
    ],
    [
      'canonical quantities, rounded up to thousandths, sorted',
      { name: 'a', resources: { limits: { memory: '1024Mi', cpu: '0.5' }, requests: { cpu: '0.0001' } } },
      '{"name":"a","resources":{"limits":{"cpu":"500m","memory":"1Gi"},"requests":{"cpu":"1m"}},"upgradeStrategy":{},"shareVolumePolicy":{}}',
    ],
    [
      'signs that HTML reads are escaped',
      { name: 'a', command: ['sh', '-c', 'a && b <c >d'] },
      '{"name":"a","command":["sh","-c","a \\u0026\\u0026 b \\u003cc \\u003ed"],"resources":{},"upgradeStrategy":{},"shareVolumePolicy":{}}',
    ],
    [
      'a divisor is always written',
      { name: 'a', env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
      '{"name":"a","env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}}],"resources":{},"upgradeStrategy":{},"shareVolumePolicy":{}}',
    ],
    [
      'fields that are not known come last, sorted',
      { zeta: 1, alpha: { b: 1, a: 2 }, name: 'a' },
      '{"name":"a","resources":{},"upgradeStrategy":{},"shareVolumePolicy":{},"alpha":{"a":2,"b":1},"zeta":1}',
    ],
    [
      'the fields of a set',
      {
        name: 'a',
        resourcesPolicy: {
          resourcesExpr: { requests: { cpu: 'cpu' } },
          targetContainersNameRegex: '.*',
          targetContainersMode: 'sum',
        },
        transferEnv: [{ envName: 'B', sourceContainerName: 'main' }],
        shareVolumeDevicePolicy: { type: 'enabled' },
      },
      '{"name":"a","resources":{},"upgradeStrategy":{},"shareVolumePolicy":{},"shareVolumeDevicePolicy":{"type":"enabled"},"transferEnv":[{"sourceContainerName":"main","envName":"B"}],"resourcesPolicy":{"targetContainersMode":"sum","targetContainersNameRegex":".*","resourcesExpr":{"requests":{"cpu":"cpu"}}}}',
    ],
  ])('%s', (_what, sidecar, text) => {
    expect(goSidecar(sidecar)).toBe(text);
  });
});
