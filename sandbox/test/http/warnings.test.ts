import { describe, expect, it } from 'vitest';
import { warningHeaders } from '../../http/warnings.ts';

describe('warning headers', () => {
  it('are absent without warnings', () => {
    expect(warningHeaders([])).toBeUndefined();
  });

  it('are recorded once each, in order', () => {
    expect(warningHeaders(['b', 'a', 'b'])).toEqual({ Warning: ['299 - "b"', '299 - "a"'] });
  });

  it('are complete below the size limit', () => {
    const long = 'x'.repeat(4000);
    expect(warningHeaders([long])).toEqual({ Warning: [`299 - "${long}"`] });
  });

  it('are cut at 256 characters each and 4,096 in all where there are too many', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `unknown field "${index}" ${'x'.repeat(300)}`);
    const found = warningHeaders(many)?.Warning ?? [];
    expect(found).toHaveLength(16);
    expect(found[1]).toMatch(/^299 - "unknown field \\"1\\" x{238}"$/);
  });
});
