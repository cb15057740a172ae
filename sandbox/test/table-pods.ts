import type { TableRows } from './table-rows.ts';

/** Table rows of pods. */
export const pods: TableRows = {
  pods: [
    [
      'pending',
      { spec: { containers: [{ name: 'a' }] } },
      'pending | 0/1 |  | 0 | 10m | <none> | <none> | <none> | <none>',
    ],
    [
      'gated',
      {
        spec: {
          schedulingGates: [{ name: 'x.y/z' }],
          readinessGates: [{ conditionType: 'a.b/c' }, { conditionType: 'd.e/f' }],
          containers: [{ name: 'a' }],
        },
        status: {
          conditions: [
            { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
            { type: 'a.b/c', status: 'True' },
          ],
        },
      },
      'gated | 0/1 | SchedulingGated | 0 | 10m | <none> | <none> | <none> | 1/2',
    ],
    [
      'running',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }, { name: 'b' }] },
        status: {
          phase: 'Running',
          podIP: '10.9.9.9',
          containerStatuses: [
            {
              name: 'a',
              ready: true,
              restartCount: 3,
              state: { running: {} },
              lastState: { terminated: { exitCode: 1, finishedAt: '2026-11-21T20:00:00Z' } },
            },
            { name: 'b', ready: false, state: { running: {} } },
          ],
        },
      },
      'running | 1/2 | Running | 3 (120m ago) | 10m | 10.9.9.9 | n1 | <none> | <none>',
    ],
    [
      'crashing',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }, { name: 'b' }] },
        status: {
          phase: 'Running',
          containerStatuses: [
            { name: 'a', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
            { name: 'b', ready: true, restartCount: 1, state: { running: {} } },
          ],
        },
      },
      'crashing | 1/2 | CrashLoopBackOff | 4 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'pull',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: {
          phase: 'Pending',
          containerStatuses: [
            { name: 'a', ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } },
          ],
        },
      },
      'pull | 0/1 | ImagePullBackOff | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'waiting-noreason',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: {
          phase: 'Pending',
          containerStatuses: [{ name: 'a', ready: false, state: { waiting: {} } }],
        },
      },
      'waiting-noreason | 0/1 | Pending | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'completed',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: {
          phase: 'Succeeded',
          containerStatuses: [
            { name: 'a', ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
          ],
        },
      },
      'completed | 0/1 | Completed | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'failed',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: {
          phase: 'Failed',
          containerStatuses: [{ name: 'a', ready: false, state: { terminated: { exitCode: 7 } } }],
        },
      },
      'failed | 0/1 | ExitCode:7 | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'signalled',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: {
          phase: 'Failed',
          containerStatuses: [
            { name: 'a', ready: false, state: { terminated: { exitCode: 137, signal: 9 } } },
          ],
        },
      },
      'signalled | 0/1 | Signal:9 | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'evicted',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: { phase: 'Failed', reason: 'Evicted' },
      },
      'evicted | 0/1 | Evicted | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'partly',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }, { name: 'b' }] },
        status: {
          phase: 'Running',
          containerStatuses: [
            { name: 'a', ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
            { name: 'b', ready: true, restartCount: 1, state: { running: {} } },
          ],
        },
      },
      'partly | 1/2 | NotReady | 1 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'partly-ready',
      {
        spec: { nodeName: 'n1', containers: [{ name: 'a' }, { name: 'b' }] },
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [
            { name: 'a', ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
            { name: 'b', ready: true, restartCount: 1, state: { running: {} } },
          ],
        },
      },
      'partly-ready | 1/2 | Running | 1 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'init0',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'x', ready: false, state: { waiting: { reason: 'PodInitializing' } } },
            { name: 'y1', ready: false, state: { waiting: { reason: 'PodInitializing' } } },
          ],
          containerStatuses: [{ name: 'a', ready: false, state: { waiting: { reason: 'PodInitializing' } } }],
        },
      },
      'init0 | 0/1 | Init:0/2 | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'init1',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'x', ready: true, restartCount: 2, state: { terminated: { exitCode: 0 } } },
            {
              name: 'y1',
              ready: false,
              restartCount: 1,
              state: { running: {} },
              lastState: { terminated: { exitCode: 1, finishedAt: '2026-11-21T20:00:00Z' } },
            },
          ],
          containerStatuses: [
            { name: 'a', ready: false, restartCount: 5, state: { waiting: { reason: 'PodInitializing' } } },
          ],
        },
      },
      'init1 | 0/1 | Init:1/2 | 3 (120m ago) | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'initcrash',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'x', ready: false, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } },
          ],
        },
      },
      'initcrash | 0/1 | Init:CrashLoopBackOff | 2 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'initerr',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Failed',
          initContainerStatuses: [
            { name: 'x', ready: false, restartCount: 2, state: { terminated: { exitCode: 3 } } },
          ],
        },
      },
      'initerr | 0/1 | Init:ExitCode:3 | 2 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'initsig',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Failed',
          initContainerStatuses: [
            { name: 'x', ready: false, restartCount: 2, state: { terminated: { exitCode: 3, signal: 9 } } },
          ],
        },
      },
      'initsig | 0/1 | Init:Signal:9 | 2 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'initerror',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Failed',
          initContainerStatuses: [
            {
              name: 'x',
              ready: false,
              restartCount: 2,
              state: { terminated: { exitCode: 3, reason: 'Error' } },
            },
          ],
        },
      },
      'initerror | 0/1 | Init:Error | 2 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'sidecar',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x', restartPolicy: 'Always' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Running',
          conditions: [{ type: 'Initialized', status: 'True' }],
          initContainerStatuses: [
            {
              name: 'x',
              ready: true,
              started: true,
              restartCount: 2,
              state: { running: {} },
              lastState: { terminated: { exitCode: 1, finishedAt: '2026-11-21T20:00:00Z' } },
            },
            { name: 'y1', ready: true, restartCount: 1, state: { terminated: { exitCode: 0 } } },
          ],
          containerStatuses: [{ name: 'a', ready: true, restartCount: 5, state: { running: {} } }],
        },
      },
      'sidecar | 2/2 | Running | 7 (120m ago) | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'sidecar2',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x', restartPolicy: 'Always' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'x', ready: false, started: true, restartCount: 2, state: { running: {} } },
            { name: 'y1', ready: false, restartCount: 1, state: { running: {} } },
          ],
        },
      },
      'sidecar2 | 0/2 | Init:1/2 | 3 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'sidecar3',
      {
        spec: {
          nodeName: 'n1',
          initContainers: [{ name: 'x', restartPolicy: 'Always' }, { name: 'y1' }],
          containers: [{ name: 'a' }],
        },
        status: {
          phase: 'Running',
          conditions: [{ type: 'Initialized', status: 'True' }],
          initContainerStatuses: [
            {
              name: 'x',
              ready: false,
              started: false,
              restartCount: 2,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
            },
            { name: 'y1', ready: true, restartCount: 1, state: { terminated: { exitCode: 0 } } },
          ],
          containerStatuses: [{ name: 'a', ready: true, restartCount: 5, state: { running: {} } }],
        },
      },
      'sidecar3 | 1/2 | Init:CrashLoopBackOff | 7 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'terminating',
      {
        metadata: { deletionTimestamp: '2026-11-21T21:55:00Z' },
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: { phase: 'Running' },
      },
      'terminating | 0/1 | Terminating | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'terminating-lost',
      {
        metadata: { deletionTimestamp: '2026-11-21T21:55:00Z' },
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: { phase: 'Running', reason: 'NodeLost' },
      },
      'terminating-lost | 0/1 | Unknown | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
    [
      'terminating-done',
      {
        metadata: { deletionTimestamp: '2026-11-21T21:55:00Z' },
        spec: { nodeName: 'n1', containers: [{ name: 'a' }] },
        status: { phase: 'Succeeded' },
      },
      'terminating-done | 0/1 | Succeeded | 0 | 10m | <none> | n1 | <none> | <none>',
    ],
  ],
};
