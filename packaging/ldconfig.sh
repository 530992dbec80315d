# Where rpm has no trigger that does it, as before Fedora 28.
/sbin/ldconfig
