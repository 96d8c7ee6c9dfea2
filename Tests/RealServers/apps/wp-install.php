<?php
// Makes the tables of WordPress, in its folder, and turns the plain paths of the API on.
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';
require 'wp-load.php';
require 'wp-admin/includes/upgrade.php';
wp_install('News', 'editor', 'editor@example.org', true, '', 'of a test');
update_option('permalink_structure', '/%postname%/');
