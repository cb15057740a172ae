import { vi } from 'vitest';
import type { Kind } from '../../../semantics/kinds/kind.ts';

const shipped = await vi.importActual<{ registered: readonly Kind[] }>(
  '../../../semantics/registry/registered.ts',
);

/** What stands in for `semantics/registry/registered.ts`: a version in which no kind reviews what happens to pods. */
export const registered: readonly Kind[] = shipped.registered.filter(
  ({ admission }) => admission?.review.of !== 'pods',
);
