import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { hostAccess } from '../../../semantics/run/host-access.ts';

const mount = (readOnly?: boolean): JsonObject => ({
  name: 'main',
  volumeMounts: [{ name: 'etc', mountPath: '/host', ...(readOnly !== undefined && { readOnly }) }],
});
const volumes: JsonObject[] = [
  { name: 'etc', hostPath: { path: '/etc' } },
  { name: 'tmp', emptyDir: {} },
];
const secured = (securityContext: JsonObject): JsonObject => ({
  containers: [{ name: 'main', securityContext }],
});

test.each<[what: string, spec: JsonObject, access: string[]]>([
  ['none', { containers: [{ name: 'main' }], hostNetwork: false }, []],
  ['the network', { hostNetwork: true }, ['the network of the node (hostNetwork)']],
  [
    'processes and memory',
    { hostPID: true, hostIPC: true },
    ['all processes of the node (hostPID)', 'shared memory of the node (hostIPC)'],
  ],
  ['a path', { volumes, containers: [mount()] }, ['writes /etc of the node (hostPath)']],
  ['a path to read', { volumes, containers: [mount(true)] }, ['reads /etc of the node (hostPath)']],
  [
    'a path that one container writes',
    { volumes, containers: [mount(true)], initContainers: [mount(false)] },
    ['writes /etc of the node (hostPath)'],
  ],
  ['a path that is not mounted', { volumes, containers: [{ name: 'main' }] }, []],
  ['privileges', secured({ privileged: true }), ['container main is privileged']],
  [
    'capabilities',
    secured({ capabilities: { add: ['SYS_TIME', 'NET_ADMIN'], drop: ['ALL'] } }),
    ['container main has the capabilities NET_ADMIN, SYS_TIME'],
  ],
  ['fewer capabilities', secured({ capabilities: { add: [], drop: ['ALL'] } }), []],
  [
    'a process of a Windows node',
    secured({ windowsOptions: { hostProcess: true } }),
    ['container main runs as a process of the node (hostProcess)'],
  ],
  [
    'a pod of such processes',
    { securityContext: { windowsOptions: { hostProcess: true } } },
    ['runs as processes of the node (hostProcess)'],
  ],
  ['what is no list', { containers: 'x', volumes: {} }, []],
])('access to the node: %s', (_what, spec, access) => {
  expect(hostAccess({ spec })).toEqual(access);
});
