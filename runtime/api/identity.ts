import type { Connection, Headers } from './connection.ts';

/** The headers that say who asks, renewed once for however many calls they were turned down with. */
export interface Identity {
  /** `refused`: headers that the server did not take; newer ones are had, unless somebody has had them meanwhile. */
  headers(refused?: Headers): Promise<Headers>;
}

export function createIdentity(connection: Connection): Identity {
  let current: Headers | undefined;
  let renewing: Promise<Headers> | undefined;
  return {
    async headers(refused) {
      if (refused === undefined || current !== refused) return (current = await connection.headers());
      renewing ??= connection.headers(true).finally(() => (renewing = undefined));
      return (current = await renewing);
    },
  };
}
