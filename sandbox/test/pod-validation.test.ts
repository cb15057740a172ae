import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, stage } from './world.ts';
import { faults } from './builtIn.ts';
import { main } from './builtIn.ts';

describe('validation of a pod', () => {
  const label =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  const rows: [string, Record<string, unknown>, string][] = [
    ['no containers', { containers: [] }, 'spec.containers: Required value'],
    [
      'no name, no image',
      { containers: [{}] },
      '[spec.containers[0].name: Required value, spec.containers[0].image: Required value]',
    ],
    [
      'a bad name',
      { containers: [{ ...main, name: 'A_' }] },
      `spec.containers[0].name: Invalid value: "A_": ${label}`,
    ],
    ['one name twice', { containers: [main, main] }, 'spec.containers[1].name: Duplicate value: "main"'],
    [
      'ports',
      {
        containers: [
          {
            ...main,
            ports: [
              { containerPort: 0 },
              { containerPort: 70000, name: 'A', protocol: 'X' },
              { containerPort: 80, name: 'a' },
              { containerPort: 81, name: 'a', hostPort: -1 },
            ],
          },
        ],
      },
      '[spec.containers[0].ports[0].containerPort: Required value, spec.containers[0].ports[1].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), spec.containers[0].ports[1].name: Invalid value: "A": must contain at least one letter (a-z), spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive, spec.containers[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP", spec.containers[0].ports[3].name: Duplicate value: "a", spec.containers[0].ports[3].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive]',
    ],
    [
      'variables',
      { containers: [{ ...main, env: [{ name: '' }, { name: 'a=b' }, { name: 'B', valueFrom: {} }] }] },
      '[spec.containers[0].env[0].name: Required value, spec.containers[0].env[1].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\', spec.containers[0].env[2].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`]',
    ],
    [
      'mounts',
      {
        containers: [
          {
            ...main,
            volumeMounts: [
              { name: 'x', mountPath: '/a' },
              { name: '', mountPath: '' },
            ],
          },
        ],
      },
      '[spec.containers[0].volumeMounts[0].name: Not found: "x", spec.containers[0].volumeMounts[1].name: Required value, spec.containers[0].volumeMounts[1].name: Not found: "", spec.containers[0].volumeMounts[1].mountPath: Required value]',
    ],
    [
      'volumes',
      {
        containers: [main],
        volumes: [
          { name: 'v' },
          { name: 'v', emptyDir: {} },
          { name: 'c', configMap: {} },
          { name: 's', secret: {} },
        ],
      },
      '[spec.volumes[1].name: Duplicate value: "v", spec.volumes[2].configMap.name: Required value, spec.volumes[3].secret.secretName: Required value]',
    ],
    [
      'a request above its limit',
      { containers: [{ ...main, resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] },
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      'an empty probe',
      { containers: [{ ...main, livenessProbe: {} }] },
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
    ],
    [
      'a probe',
      {
        containers: [
          { ...main, livenessProbe: { httpGet: { port: 0 }, successThreshold: 2, periodSeconds: -1 } },
        ],
      },
      '[spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0, spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1]',
    ],
    ['a hostname', { containers: [main], hostname: 'A_' }, `spec.hostname: Invalid value: "A_": ${label}`],
    [
      'a restart policy of an init container, and a probe of one that does not stay',
      {
        initContainers: [
          { name: 'i', image: 'x', restartPolicy: 'Foo' },
          { name: 'j', image: 'x', readinessProbe: { exec: { command: ['a'] } } },
        ],
        containers: [main],
      },
      '[spec.initContainers[0].restartPolicy: Unsupported value: "Foo": supported values: "Always", "Never", "OnFailure", spec.initContainers[1].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always]',
    ],
  ];
  test.each(rows)('%s', async (_what, spec, expected) => {
    const { alice } = stage({ nodes: 0 });
    expect(await faults(alice.create(resources.Pod, pod('x', 'web:1', spec)))).toBe(expected);
  });
});
