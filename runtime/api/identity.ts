import type { Connection, Headers } from './connection.ts';

/** The headers that authenticate the user. Many calls that are refused at once share one renewal. */
export interface Identity {
  /** @param refused headers that the server did not accept: they are renewed, unless another call has done so meanwhile */
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
