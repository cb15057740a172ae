import type { Condition } from '../../../schemas/wire/object.ts';
import {
  type ContainerStatus,
  IN_PLACE_READY,
  IN_PLACE_STATE_ANNOTATION,
  type Pod,
} from '../../../semantics/pod/types.ts';

export const AT = '2026-01-02T03:04:05Z';

export interface Parts {
  conditions?: Condition[];
  statuses?: ContainerStatus[];
  images?: Record<string, string>;
  state?: unknown;
  gates?: string[];
  labels?: Record<string, string>;
  phase?: string;
}

export function pod(parts: Parts = {}): Pod {
  const images = parts.images ?? { main: 'web:1' };
  const { state } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-abcde',
      uid: 'uid-1',
      resourceVersion: '42',
      ...(parts.labels === undefined ? {} : { labels: parts.labels }),
      ...(state === undefined
        ? {}
        : {
            annotations: {
              [IN_PLACE_STATE_ANNOTATION]: typeof state === 'string' ? state : JSON.stringify(state),
            },
          }),
    },
    spec: {
      containers: Object.entries(images).map(([name, image]) => ({ name, image })),
      readinessGates: (parts.gates ?? [IN_PLACE_READY]).map((conditionType) => ({ conditionType })),
    },
    status: {
      phase: parts.phase ?? 'Running',
      conditions: parts.conditions ?? [],
      containerStatuses: parts.statuses ?? [],
    },
  };
}

export const yes = (type: string): Condition => ({
  type,
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
export const no = (type: string, reason?: string): Condition => ({
  type,
  status: 'False',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...(reason === undefined ? {} : { reason }),
});
export const drained = no(IN_PLACE_READY, 'StartInPlaceUpdate');
