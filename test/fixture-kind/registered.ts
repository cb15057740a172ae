import { vi } from 'vitest';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { aisleKind, rackKind } from './kind.ts';

const shipped = await vi.importActual<{ registered: readonly Kind[] }>(
  '../../semantics/registry/registered.ts',
);

/** What stands in for `semantics/registry/registered.ts`: beside the kinds that are shipped, those of these tests. */
export const registered: readonly Kind[] = [...shipped.registered, rackKind, aisleKind];
