/** How many units a list of a record has by id. It is stored in an annotation, and the server limits these to 256 KiB. */
export const MOST_BROKEN = 2_000;
