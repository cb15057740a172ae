import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { securityBreaches } from '../../../semantics/pod/pod-security.ts';

const CONFINED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

function withContainer(container: JsonObject, volumes: JsonObject[] = []): JsonObject {
  return { spec: { containers: [{ name: 'mesh', image: 'mesh:1', ...container }], volumes } };
}

const confined = (more: JsonObject): JsonObject => ({ securityContext: { ...CONFINED, ...more } });

test.each<[string, JsonObject, string[], string[]]>([
  ['privileged', confined({ privileged: true }), ['privileged is true'], []],
  [
    'a capability that baseline refuses',
    confined({ capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_BIND_SERVICE'] } }),
    ['it adds the capability NET_ADMIN'],
    [],
  ],
  [
    'a capability that restricted refuses',
    confined({ capabilities: { drop: ['ALL'], add: ['CHOWN'] } }),
    [],
    ['it adds the capability CHOWN'],
  ],
  [
    'no security context',
    {},
    [],
    ['allowPrivilegeEscalation is not false', 'it does not drop the capability ALL'],
  ],
  ['root by its number', confined({ runAsUser: 0 }), [], ['runAsUser is 0']],
  ['root by a flag', confined({ runAsNonRoot: false }), [], ['runAsNonRoot is false']],
  [
    'a port of the node',
    { ...confined({}), ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }] },
    ['hostPort is 8080'],
    [],
  ],
])('%s', (_, container, baseline, restricted) => {
  expect(securityBreaches(withContainer(container))).toEqual([
    { path: ['spec', 'containers', '0'], what: 'container mesh', reasons: { baseline, restricted } },
  ]);
});

test.each<[string, JsonObject, unknown]>([
  ['a hostPath', { hostPath: { path: '/var' } }, { baseline: ['it is a hostPath'], restricted: [] }],
  ['nfs', { nfs: { path: '/', server: 's' } }, { baseline: [], restricted: ['it is of the type nfs'] }],
  ['a secret', { secret: { secretName: 's' } }, undefined],
  ['no type, which is an emptyDir', {}, undefined],
])('the volume %s, if a container mounts it', (_, source, reasons) => {
  const volumes = [{ name: 'v', ...source }];
  const mounts = { ...confined({}), volumeMounts: [{ name: 'v', mountPath: '/v' }] };
  const found = securityBreaches(withContainer(mounts, volumes));
  expect(found).toEqual(
    reasons === undefined ? [] : [{ path: ['spec', 'volumes', '0'], what: 'volume v', reasons }],
  );
  expect(securityBreaches(withContainer(confined({}), volumes))).toEqual([]);
});

test('init containers are judged as containers are', () => {
  const template = { spec: { initContainers: [{ name: 'init', securityContext: { privileged: true } }] } };
  expect(securityBreaches(template)).toMatchObject([{ path: ['spec', 'initContainers', '0'] }]);
});
