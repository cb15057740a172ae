import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import type { kindsByName } from '../../semantics/registry/registered.ts';

type Shipped = typeof kindsByName;

/** The names of the registered kinds that plans are made for. */
export type PlannedName = {
  [Name in keyof Shipped]: Shipped[Name] extends PlannedKind ? Name : never;
}[keyof Shipped];

/** The names of those whose targets are reconciled at once. */
export type StandingName = Exclude<keyof Shipped, PlannedName>;
