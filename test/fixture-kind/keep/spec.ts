import type { KubeObject } from '../../../schemas/wire/object.ts';
import { numberOf, objectOf } from '../../../semantics/values/read.ts';

/** On each pod that a Keep covers: its name. */
export const KEEP_ANNOTATION = 'test.plan.kruise.io/keep';
/** On each pod with a seat: its number. */
export const SEAT_ANNOTATION = 'test.plan.kruise.io/seat';

/** What a Keep asks for. */
export interface KeepSpec {
  selector: Record<string, unknown>;
  /** Undefined: pods of any owner. */
  deployment: string | undefined;
  allowed: number;
  /** Undefined: pods have no seats. */
  seats: number | undefined;
}

/** The spec of a Keep, defaults filled in. */
export function specOf({ spec }: KubeObject): KeepSpec {
  const { selector, deployment, allowed, seats } = objectOf(spec);
  return {
    selector: objectOf(selector),
    deployment: typeof deployment === 'string' ? deployment : undefined,
    allowed: numberOf(allowed) ?? 0,
    seats: numberOf(seats),
  };
}

/** The pods that were let go, by name, and the seats that were given, by name of the pod or uid of the request. */
export function statusOf({ status }: KubeObject): {
  taken: Record<string, string>;
  seats: Record<string, number>;
} {
  const { taken, seats } = objectOf(status);
  return {
    taken: objectOf(taken) as Record<string, string>,
    seats: objectOf(seats) as Record<string, number>,
  };
}
