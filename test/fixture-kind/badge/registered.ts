import { vi } from 'vitest';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { badgeKind } from './kind.ts';

const shipped = await vi.importActual<{ registered: readonly Kind[] }>(
  '../../../semantics/registry/registered.ts',
);

/** What stands in for `semantics/registry/registered.ts`: beside the kinds that are shipped, one more that adds to new pods. */
export const registered: readonly Kind[] = [...shipped.registered, badgeKind];
