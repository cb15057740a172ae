import { vi } from 'vitest';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { rackKind } from '../kind.ts';
import { fleetKind } from './kind.ts';

const shipped = await vi.importActual<{ registered: readonly Kind[] }>(
  '../../../semantics/registry/registered.ts',
);

/** What stands in for `semantics/registry/registered.ts`: beside the kinds that are shipped, a root and the kind of its children. */
export const registered: readonly Kind[] = [...shipped.registered, rackKind, fleetKind];
