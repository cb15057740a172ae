import type { KubeObject } from '../../schemas/wire/object.ts';

/** The holder and times of a Lease, read tolerantly: its content may have been edited. */
export interface LeaseRecord {
  /** Undefined: nobody holds it. */
  holder: string | undefined;
  /** The lease duration, milliseconds; undefined if the Lease has none. */
  durationMs: number | undefined;
  transitions: number;
  /** RFC 3339 with microseconds; when the current holder acquired it. */
  acquireTime: string | undefined;
}

/** Reads a Lease. Malformed fields count as missing. */
export function readLease(object: KubeObject): LeaseRecord {
  const spec = (object['spec'] ?? {}) as Record<string, unknown>;
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime } = spec;
  return {
    holder: typeof holderIdentity === 'string' && holderIdentity !== '' ? holderIdentity : undefined,
    durationMs: isCount(leaseDurationSeconds) ? leaseDurationSeconds * 1000 : undefined,
    transitions: isCount(leaseTransitions) ? leaseTransitions : 0,
    acquireTime:
      typeof acquireTime === 'string' && !Number.isNaN(Date.parse(acquireTime)) ? acquireTime : undefined,
  };
}

/** The greatest value that the server accepts for these fields. */
const MOST = 2 ** 31 - 1;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST;
}

export interface LeaseContent {
  /** Empty: released. */
  holder: string;
  durationMs: number;
  transitions: number;
  acquireTime: string;
  renewTime: string;
}

/** A Lease with this content; `before` is the Lease that it replaces, and the precondition of the write. */
export function leaseObject(
  at: { namespace: string; name: string },
  content: LeaseContent,
  before: KubeObject | undefined,
): KubeObject {
  const { holder, durationMs, transitions, acquireTime, renewTime } = content;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: before === undefined ? { ...at } : { ...before.metadata, ...at },
    spec: {
      ...(before?.['spec'] as object | undefined),
      holderIdentity: holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
      acquireTime,
      renewTime,
      leaseTransitions: Math.min(transitions, MOST),
    },
  };
}

/** `MicroTime` of Kubernetes: RFC 3339 with six places, UTC. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '000Z');
}
