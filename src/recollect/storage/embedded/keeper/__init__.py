"""The keeper: one small process per data folder that starts, watches and stops its PostgreSQL.

It runs as ``python -I -S``, apart from the program that opened the folder, so everything in this
package imports the standard library and its own neighbours only.

    main         takes the keeper's lock, leaves the terminal behind, reports what goes wrong
    account      gives up root for an ordinary account
    cluster      creates the data directory, or checks the one that is there
    postmaster   one running PostgreSQL: find, start, ask, stop
    supervise    the loop: restart what died, stop when nobody owns the folder any more
    status       what the keeper tells the openers
    locks        the two locks that everything rests on
"""
