import { vi } from 'vitest';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { fleetKind } from '../fixture-kind/fleet/kind.ts';
import { rackKind } from '../fixture-kind/kind.ts';
import { rationKind } from '../fixture-kind/ration/kind.ts';

const shipped = await vi.importActual<{ registered: readonly Kind[] }>(
  '../../semantics/registry/registered.ts',
);

/** What stands in for `semantics/registry/registered.ts`: beside the kinds that are shipped, one that influences others, and a root. */
export const registered: readonly Kind[] = [...shipped.registered, rackKind, fleetKind, rationKind];
